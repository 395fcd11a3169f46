// Nothing of a zero organization's requests is ever written to disk; content that others allow to
// be kept is encrypted, and gone when its retention ends. Ignored parameters reach nothing at all,
// the key of the payment provider and the secret of its webhooks reach no disk, and the codes of
// vouchers no log and no table.
// engines: llama-server vllm sglang
// covers: src/store/content/** src/inference/retain.ts src/platform/retention/** src/lib/**
// covers: src/contract/ignored-parameters.ts src/inference/validate.ts src/payments/**
// covers: src/platform/vouchers/** src/platform/operator/vouchers/**
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startScriptedProvider } from '../harness/payments/scripted-provider.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { startEchoEngine } from './canary/echo-engine.ts'
import { startCanaryEnvironment, type CanaryEnvironment } from './canary/environment.ts'
import { createMark, formsOf } from './canary/forms.ts'
import { payOnce } from './canary/payments.ts'
import { scanRefusals } from './canary/refusals.ts'
import { endRetention, retainContent } from './canary/retained-load.ts'
import { scanFolder, type Hit } from './canary/scan.ts'
import { testScanner } from './canary/self-test.ts'
import { startTraceReceiver } from './canary/trace-receiver.ts'
import type { Servers } from './canary/servers.ts'
import { readStored, scanTables } from './canary/stored.ts'
import { openStreams, runZeroLoad, type ZeroLoad } from './canary/zero-load.ts'

const REQUESTS = 2_000
const SOAK_REQUESTS = 50_000

/** Both stores write their memory to files when they end, so that the scan sees all there is. */
async function stopServers(servers: Servers): Promise<void> {
  await servers.end('engine', 'SIGTERM')
  await servers.end('valkey', 'SIGTERM')
  await servers.end('postgres', 'SIGINT')
}

/**
 * The canaries in the core file of a process that may dump its memory: this is why operators must
 * forbid it. Undefined where this machine does not allow core files.
 */
async function crashWithCore(
  environment: CanaryEnvironment,
  mark: string,
): Promise<number | undefined> {
  const api = await environment.startApi('unlimited').catch(() => undefined)
  if (api === undefined) return undefined
  if (!readFileSync(api.logFile, 'utf8').includes('core dumps are enabled'))
    throw new Error('the api does not warn of core dumps')
  await openStreams(environment, api, mark)
  await api.end('SIGABRT')
  const folder = join(environment.servers.folder, 'cwd')
  const { hits } = scanFolder(folder, formsOf(mark).slice(0, 1), false)
  for (const name of readdirSync(folder)) rmSync(join(folder, name))
  return hits.length
}

async function createFolder(stack: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-canary-'))
  // PostgreSQL may run as another user than we do.
  await chmod(folder, 0o755)
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  return folder
}

function describe({ file, form, around }: Hit, folder: string, mark: string): string {
  return `${file.replace(folder, '')}: ${form}: ${around.replaceAll(mark, '<canary>')}`
}

/** What clients saw while processes crashed. */
function figuresOf({ statuses, requests, answered, echoed, crashes, restarts }: ZeroLoad) {
  const sorted = [...statuses].toSorted(([one], [other]) => one - other)
  console.log(`answers by status: ${sorted.map((each) => each.join(':')).join(' ')}`)
  return { requests, answered, echoed, crashes, restarts }
}

/** Ignored parameters were sent, and nobody got them: `passedOn` is how often somebody did. */
function checkIgnored(run: ProofRun, ignored: number, passedOn: number, traces: number) {
  if (passedOn > 0) run.fail('an ignored parameter was sent to an engine or retained')
  if (ignored * traces === 0) run.fail('nothing was ignored, or nothing was traced')
  return { ignored, passed_on: passedOn, trace_batches: traces }
}

async function prove(run: ProofRun) {
  const requests = Number(run.values['requests'] ?? (run.soak ? SOAK_REQUESTS : REQUESTS))
  const mark = createMark()
  const forms = formsOf(mark)
  await using stack = new AsyncDisposableStack()
  const folder = await createFolder(stack)
  const encodings = testScanner(join(folder, 'self-test'), mark)
  const echo = stack.use(await startEchoEngine(mark))
  const traces = stack.use(await startTraceReceiver())
  const written = join(folder, 'written')
  const provider = stack.use(await startScriptedProvider({ journal: join(folder, 'provider') }))
  const environment = await startCanaryEnvironment(written, echo.url, traces.url, provider.url)
  const { servers, callers } = environment
  const worker = await environment.startWorker()
  // Writing a whole memory to disk takes long on a small machine.
  const showsCore = run.soak || run.values['core'] !== undefined
  const coreHits = showsCore ? await crashWithCore(environment, mark) : undefined
  const api = await environment.startApi()
  const payments = await payOnce(environment, provider, mark)
  const zero = await runZeroLoad(environment, api, requests, mark, run.random)
  const zeroRows = await readStored(servers.databaseUrl, callers.zero.organizationId)
  const retained = await retainContent(environment, await zero.api, mark)
  const refused = await scanRefusals(servers.valkeyUrl, forms)
  const hits = [
    ...payments.hits,
    ...refused.hits,
    ...(await scanTables(servers.databaseUrl, forms)),
  ]
  await worker.end('SIGTERM')
  await stopServers(servers)
  const scan = scanFolder(servers.folder, forms)
  const database = join(servers.folder, 'postgres')
  const onDisk = scanFolder(database, retained.storedForms, false).hits.length

  await servers.start('postgres')
  const ended = await endRetention(environment)
  await servers.end('postgres', 'SIGINT')
  const onDiskAtEnd = scanFolder(database, retained.storedForms, false).hits.length
  hits.push(...scan.hits, ...scanFolder(servers.folder, forms).hits, ...traces.scan(forms))

  const cores = readdirSync(join(servers.folder, 'cwd')).length
  const slotFiles = readdirSync(join(servers.folder, 'slots')).length
  for (const hit of hits) run.fail(describe(hit, folder, mark))
  if (payments.forged === 0) run.fail('no webhook was refused')
  if (zeroRows.length + cores + slotFiles > 0) run.fail('content of a zero organization is stored')
  if (zero.echoed * echo.marked() * refused.refusals === 0 || zero.answered <= requests / 2)
    run.fail('too few requests reached an engine, were refused or were answered')
  const passedOn = echo.withIgnored() + retained.withIgnored
  return {
    ...figuresOf(zero),
    webhooks_refused: payments.forged,
    engine_saw: echo.marked(),
    ...checkIgnored(run, zero.ignored, passedOn, traces.batches()),
    files: scan.files,
    scanned_mb: (scan.bytes / 1e6).toFixed(0),
    expanded: scan.expanded,
    forms: forms.length,
    found_in_self_test: encodings,
    hits: hits.length,
    refusals: refused.refusals,
    zero_rows: zeroRows.length,
    core_files: cores,
    slot_files: slotFiles,
    canaries_in_allowed_core: coreHits ?? 'not_shown',
    ...checkRetained(run, retained, ended, { onDisk, onDiskAtEnd }),
  }
}

function checkRetained(
  run: ProofRun,
  retained: { readonly answered: number; readonly decrypted: number },
  ended: { readonly left: number; readonly readable: number },
  { onDisk, onDiskAtEnd }: { readonly onDisk: number; readonly onDiskAtEnd: number },
) {
  if (retained.answered === 0 || retained.decrypted !== retained.answered || onDisk === 0)
    run.fail('retained content is not stored')
  if (ended.left + ended.readable + onDiskAtEnd > 0)
    run.fail('retained content is left after its retention')
  return {
    kept: retained.answered,
    decrypted: retained.decrypted,
    on_disk: onDisk,
    left_at_end: ended.left,
    readable_at_end: ended.readable,
    on_disk_at_end: onDiskAtEnd,
  }
}

await runProof('canary', prove, { requests: { type: 'string' }, core: { type: 'boolean' } })
