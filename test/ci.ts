/**
 * What CI does after `npm ci`: `node test/ci.ts [--only JOB] [--shard 2/6] [--record]`. Jobs are
 * check, tests, fuzz, clients, proofs and live (some proofs on a real vLLM); without `--only` all
 * of them run. The last line is the total over all parts, and the exit code says if any failed.
 */
import { parseArgs } from 'node:util'
import { forEachLimited } from '../src/lib/for-each-limited.ts'
import { CI_SEED, chooseShard, readCiProofs, type CiProof } from './runner/ci-proofs.ts'
import { recordDurations } from './runner/durations.ts'
import { endParts, runPart, type Part, type Totals } from './runner/run-part.ts'

const JOBS = ['check', 'tests', 'fuzz', 'clients', 'proofs', 'live'] as const
type Job = (typeof JOBS)[number]

/** No part gets more than the time that is left of this, of the 90 minutes that CI may take. */
const TOTAL_LIMIT_SECONDS = 5_000
/** With less than this left the live part would be cut off in the middle, so it is skipped. */
const LIVE_SECONDS_MIN = 900
const PROOF_LIMIT_SECONDS = 600
/** Some of them mostly wait, and leave the processors to the others. */
const PROOFS_AT_ONCE = 3
const NODE = process.execPath
/** Those that run on a real vLLM too: `npm run prove -- live --engine vllm` runs all that can. */
const LIVE_PROOFS = ['contract', 'conversation', 'reconcile']
/** They pin all that they install, and take half a minute together. */
const QUICK_PROGRAMS = ['llm', 'pydantic-ai']

const totals: Totals = { passed: 0, failed: 0, skipped: [], failures: [] }
let isEnding = false

function secondsLeft(): number {
  return Math.max(1, TOTAL_LIMIT_SECONDS - process.uptime())
}

async function run(
  name: string,
  limitSeconds: number,
  command: Part['command'],
  counts: Part['counts'] = 'one',
): Promise<number | undefined> {
  // After a signal nothing new may start; `finish` ends the process.
  if (isEnding) return new Promise(() => {})
  const limit = Math.floor(Math.min(limitSeconds, secondsLeft()))
  return runPart({ name, limitSeconds: limit, command, counts }, totals)
}

async function install(jobs: Set<Job>): Promise<void> {
  const needs = (...of: Job[]) => of.some((job) => jobs.has(job))
  const required = async (name: string, limit: number, command: Part['command']) => {
    if ((await run(name, limit, command, 'none')) === undefined) throw new Error(`${name} failed`)
  }
  const waiting: Promise<unknown>[] = []
  if (needs('tests', 'proofs')) {
    waiting.push(required('web app', 120, ['npm', 'run', '--silent', 'build']))
    // One after the other: both may need the lock of apt.
    waiting.push(
      required('browser', 300, ['sh', 'stack/install-chromium.sh']).then(async () =>
        needs('proofs') ? run('monitoring', 300, ['sh', 'stack/install-monitoring.sh']) : undefined,
      ),
    )
  }
  if (needs('tests', 'clients', 'proofs', 'live'))
    waiting.push(required('servers', 300, [NODE, 'stack/stack.ts', 'up']))
  if (needs('clients', 'proofs'))
    waiting.push(
      run('install the clients', 180, clientsCommand('ci'), 'none').then((seconds) => {
        if (seconds === undefined) jobs.delete('clients')
      }),
    )
  if (needs('proofs')) waiting.push(run('install the site', 180, siteCommand(), 'none'))
  // For the proof `trace`; a minute and a half where nothing is cached.
  if (needs('proofs'))
    waiting.push(run('collector', 400, ['sh', 'test/prove/trace/build-collector.sh']))
  // It checks the requests of payments; up to four minutes where nothing is cached.
  if (needs('tests', 'proofs'))
    waiting.push(run('stripe-mock', 400, ['sh', 'stack/install-stripe-mock.sh']))
  // For a part of the proof `payments`; a minute where nothing is cached.
  if (needs('proofs')) waiting.push(run('localstripe', 200, ['sh', 'stack/install-localstripe.sh']))
  const results = await Promise.allSettled(waiting)
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

function clientsCommand(what: 'ci' | 'test'): Part['command'] {
  const options = what === 'ci' ? ['--no-audit', '--no-fund'] : ['--silent']
  return ['npm', what, ...options, '--prefix', 'test/clients']
}

/** For the proof `site`. Its packages have no install scripts to run. */
function siteCommand(): Part['command'] {
  return ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', 'site']
}

async function prove(proofs: readonly CiProof[]): Promise<Record<string, number>> {
  const taken: Record<string, number> = {}
  const proveOne = async ({ name, options }: CiProof) => {
    const command = [NODE, 'test/prove.ts', name, '--seed', `${CI_SEED}`, ...options] as const
    const seconds = await run(`proof ${name}`, PROOF_LIMIT_SECONDS, [...command])
    if (seconds !== undefined) taken[name] = seconds
  }
  await forEachLimited(
    PROOFS_AT_ONCE,
    proofs.filter(({ beside }) => beside),
    proveOne,
  )
  for (const proof of proofs.filter(({ beside }) => !beside)) await proveOne(proof)
  return taken
}

/** Its packages are 3 GB, so this part comes last and alone. */
async function proveLive(): Promise<void> {
  const up = [NODE, 'stack/stack.ts', 'up', '--engine', 'vllm'] as const
  if ((await run('vLLM', 900, up)) === undefined) return
  for (const name of LIVE_PROOFS) {
    const options = ['--engine', 'vllm', '--seed', `${CI_SEED}`]
    const command = [NODE, 'test/prove.ts', name, ...options] as const
    await run(`proof ${name} on vLLM`, PROOF_LIMIT_SECONDS, command)
  }
}

function readShard(text: string): readonly [shard: number, shards: number] {
  const [, shard, shards] = /^(\d+)\/(\d+)$/.exec(text) ?? []
  const numbers = [Number(shard), Number(shards)] as const
  if (!(numbers[0] >= 1 && numbers[0] <= numbers[1])) throw new Error(`no shard: ${text}`)
  return numbers
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      shard: { type: 'string', default: '1/1' },
      record: { type: 'boolean', default: false },
    },
  })
  const jobs = new Set(JOBS.filter((job) => values.only === undefined || job === values.only))
  if (jobs.size === 0) throw new Error(`no job ${values.only}; there are ${JOBS.join(', ')}`)
  const shard = readShard(values.shard)
  await install(jobs)
  if (jobs.has('check')) await run('check', 180, ['npm', 'run', '--silent', 'check'])
  const record = values.record ? ['--record'] : []
  if (jobs.has('tests')) await run('tests', 2_400, [NODE, 'test/run.ts', ...record], 'tests')
  const fuzz = ['all', '--ci', '--seed', `${CI_SEED}`]
  if (jobs.has('fuzz')) await run('fuzz', 240, [NODE, 'test/fuzz.ts', ...fuzz], 'tests')
  if (jobs.has('clients')) {
    await run('clients', 400, clientsCommand('test'), 'tests')
    await run('programs', 300, [NODE, 'test/programs.ts', ...QUICK_PROGRAMS], 'tests')
  }
  if (jobs.has('proofs')) {
    const proofs = readCiProofs()
    const taken = await prove(chooseShard(proofs, ...shard))
    const exists = (name: string) => proofs.some((proof) => proof.name === name)
    if (values.record) recordDurations('proofs', taken, exists)
  }
  if (!jobs.has('live')) return
  if (secondsLeft() >= LIVE_SECONDS_MIN) await proveLive()
  else totals.skipped.push(`live, because only ${Math.round(secondsLeft())} s are left`)
}

async function finish(): Promise<void> {
  if (isEnding) return
  isEnding = true
  endParts('SIGTERM')
  const down: Part = {
    name: 'stop the servers',
    limitSeconds: 60,
    command: [NODE, 'stack/stack.ts', 'down'],
    counts: 'none',
  }
  await runPart(down, { passed: 0, failed: 0, skipped: [], failures: [] })
  endParts('SIGKILL')
  for (const name of totals.skipped) console.log(`skipped: ${name}`)
  if (totals.failures.length > 0) console.log(`failed:\n${totals.failures.join('\n')}`)
  console.log(`${totals.passed} passed, ${totals.failed} failed`)
  process.exit(totals.failed === 0 && totals.passed > 0 ? 0 : 1)
}

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => {
    console.log(`ended by ${signal}`)
    totals.failed += 1
    void finish()
  })

try {
  await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  if (totals.failed === 0) totals.failed = 1
}
await finish()
