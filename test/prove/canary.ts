// Nothing of a zero organization's requests is ever written down; what others let us keep is
// encrypted, and gone at its end.
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createRandom } from '../harness/random.ts'
import { startEchoEngine } from './canary/echo-engine.ts'
import { createMark, formsOf } from './canary/forms.ts'
import { endContent, keepContent } from './canary/kept-load.ts'
import { createPlace, type Server } from './canary/place.ts'
import { scanFolder, type Hit } from './canary/scan.ts'
import { testScanner } from './canary/self-test.ts'
import { readStored, scanTables } from './canary/stored.ts'
import { createWorld, type World } from './canary/world.ts'
import { loadZero, openStreams, type Servers } from './canary/zero-load.ts'
import { openValkey } from '../../src/store/valkey/valkey.ts'

const REQUESTS = 2_000
const SOAK_REQUESTS = 50_000
const HITS_SHOWN = 20

async function startServers(world: Pick<World, 'place'>): Promise<Servers> {
  const { place } = world
  return {
    postgres: await place.startPostgres(),
    valkey: await place.startValkey(),
    engine: await place.startEngine(),
  }
}

/** What a store holds in memory goes to its files first, so that the scan sees all there is. */
async function stopServers(world: World, servers: Servers, own: readonly Server[]): Promise<void> {
  for (const server of own) await server.end('SIGTERM')
  await using valkey = openValkey([world.place.valkeyUrl])
  await valkey.connected(10_000)
  await valkey.call('SAVE', [])
  await servers.engine.end('SIGTERM')
  await servers.valkey.end('SIGTERM')
  await servers.postgres.end('SIGINT')
}

/**
 * What a process that may dump its memory leaves behind when it crashes: this is why operators
 * forbid it. Undefined where this machine does not let us show it.
 */
async function crashWithCore(world: World, mark: string): Promise<number | undefined> {
  const api = await world.startApi('unlimited').catch(() => undefined)
  if (api === undefined) return undefined
  if (!readFileSync(api.logFile, 'utf8').includes('core dumps are enabled'))
    throw new Error('the api does not warn of core dumps')
  await openStreams(world, api, mark)
  await api.end('SIGABRT')
  const folder = join(world.place.folder, 'cwd')
  const { hits } = scanFolder(folder, formsOf(mark).slice(0, 1), false)
  for (const name of readdirSync(folder)) rmSync(join(folder, name))
  return hits.length
}

function showHits(hits: readonly Hit[], folder: string, mark: string): void {
  for (const { file, form, around } of hits.slice(0, HITS_SHOWN))
    console.log(`${file.replace(folder, '')}: ${form}: ${around.replaceAll(mark, '<canary>')}`)
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string' },
      soak: { type: 'boolean', default: false },
      requests: { type: 'string' },
      core: { type: 'boolean', default: false },
    },
  })
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32))
  const requests = Number(values.requests ?? (values.soak ? SOAK_REQUESTS : REQUESTS))
  // Writing a whole memory to disk takes long on a small machine.
  return { seed, requests, showsCore: values.soak || values.core }
}

async function main(): Promise<number> {
  const { seed, requests, showsCore } = readOptions()
  console.log(`seed ${seed}; repeat with --seed ${seed}`)
  const random = createRandom(seed)
  const mark = createMark()
  const forms = formsOf(mark)
  const folder = await mkdtemp(join(tmpdir(), 'headrace-canary-'))
  // PostgreSQL may run as another user than we do.
  await chmod(folder, 0o755)
  await using cleaning = new AsyncDisposableStack()
  cleaning.defer(() => rm(folder, { recursive: true, force: true }))
  const encodings = testScanner(join(folder, 'self-test'), mark)
  const echo = cleaning.use(await startEchoEngine(mark))
  const place = await createPlace(join(folder, 'place'))
  const servers = await startServers({ place })
  const world = await createWorld(place, echo)
  const worker = await world.startWorker()
  const coreHits = showsCore ? await crashWithCore(world, mark) : undefined
  const first = await world.startApi()
  const { tally, api } = await loadZero(world, servers, requests, mark, random, first)
  const zeroRows = await readStored(place.databaseUrl, world.callers.zero.organizationId)
  const kept = await keepContent(world, api, mark)
  const hits = await scanTables(place.databaseUrl, forms)
  await stopServers(world, servers, [worker])
  const { files, bytes, expanded, hits: found } = scanFolder(place.folder, forms)
  const database = join(place.folder, 'postgres')
  const onDisk = scanFolder(database, kept.storedForms, false).hits

  const postgres = await place.startPostgres()
  const ended = await endContent(world)
  await postgres.end('SIGINT')
  const stillOnDisk = scanFolder(database, kept.storedForms, false).hits
  hits.push(...found, ...scanFolder(place.folder, forms).hits)

  showHits(hits, folder, mark)
  const { marked } = echo.counts()
  const cores = readdirSync(join(place.folder, 'cwd')).length
  const saved = readdirSync(join(place.folder, 'slots')).length
  const statuses = [...tally.statuses].toSorted(([one], [other]) => one - other)
  console.log(`answers by status: ${statuses.map((each) => each.join(':')).join(' ')}`)
  console.log(
    `canary: requests=${tally.requests} answered=${tally.answered} echoed=${tally.echoed} ` +
      `engine_saw=${marked} crashes=${tally.crashes} restarts=${tally.restarts} ` +
      `files=${files} scanned_mb=${(bytes / 1e6).toFixed(0)} expanded=${expanded} ` +
      `forms=${forms.length} found_in_self_test=${encodings} hits=${hits.length} ` +
      `zero_rows=${zeroRows.length} core_files=${cores} slot_files=${saved} ` +
      `canaries_in_allowed_core=${coreHits ?? 'not_shown'} ` +
      `kept=${kept.answered} decrypted=${kept.decrypted} on_disk=${onDisk.length} ` +
      `left_at_end=${ended.left} readable_at_end=${ended.readable} ` +
      `on_disk_at_end=${stillOnDisk.length} seed=${seed}`,
  )
  const nothing = hits.length + zeroRows.length + cores + saved === 0
  const allKept = kept.answered > 0 && kept.decrypted === kept.answered && onDisk.length > 0
  const allGone = ended.left + ended.readable + stillOnDisk.length === 0
  const exercised = tally.echoed > 0 && marked > 0 && tally.answered > requests / 2
  return nothing && allKept && allGone && exercised ? 0 : 1
}

process.exitCode = await main()
