// Requests that make engines fail have no engine ejected, and others notice nothing of them.
// covers: src/engines/fleet/** src/inference/fallback/**
import { setTimeout as pause } from 'node:timers/promises'
import { forEachLimited } from '../../src/lib/for-each-limited.ts'
import { startEnvironment } from '../harness/environment.ts'
import { chunk, ending, ROLE } from '../harness/fake-engine/events.ts'
import { isCheck, promptOf } from '../harness/fake-engine/prompts.ts'
import { begin, flush, startFakeEngine, type Asked } from '../harness/fake-engine/server.ts'
import { openLine, type Line } from '../harness/clients/http-client.ts'
import { startLoad } from '../harness/load/load.ts'
import { timeUntil } from '../harness/figures/measure.ts'
import type { HeadraceProcess } from '../harness/processes/process.ts'
import { runProof, type Figures, type ProofRun } from '../harness/proof.ts'
import { noteTurn, openMoves, tryConversations } from './tenant-faults/conversations.ts'

const MODEL = 'faults/model'
const ENGINES = 3
const SLOTS = 32
const PROCESSES = 2
const HOSTILE = 1_000
const SHORT_HOSTILE = 300
const HOSTILE_AT_ONCE = 16
/** They act together: faults of two organizations lead to a check. */
const HOSTILE_ORGANIZATIONS = 2
const BYSTANDERS = 6
const BYSTANDERS_AT_ONCE = 24
const BYSTANDER_PAUSE_MS = 5
const SUCCESS_SHARE_MIN = 0.999
const CHECK_INTERVAL_MS = 5_000
const TIMEOUT_MS = 60_000

const WORD = chunk({ content: 'word' })
const END = ending({ prompt: 10, completion: 1 })
const TOOL = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } }
const FORMAT = {
  type: 'json_schema',
  json_schema: { name: 'x', schema: { type: 'object', properties: {} } },
}

/** What a hostile request asks besides its prompt, which says what the engine does. */
const KINDS: Readonly<Record<string, object>> = {
  'fail with a schema': { response_format: FORMAT },
  'refuse the request': {},
  'ignore the tool choice': { tools: [TOOL], tool_choice: 'required' },
  'break before the answer': {},
  'break the stream': { stream: true },
  'send nonsense': { stream: true },
}

/** One engine that fails whatever it is asked. */
type Broken = { engine: number | undefined }

async function answer(engine: number, broken: Broken, { body, response }: Asked): Promise<void> {
  const prompt = promptOf(body)
  if (broken.engine === engine || prompt.startsWith('fail')) {
    response.writeHead(500).end('{"error":{"message":"failed"}}')
  } else if (prompt.startsWith('refuse')) {
    response.writeHead(400).end('{"error":{"message":"refused"}}')
  } else if (prompt.startsWith('break before')) response.destroy()
  else if (prompt.startsWith('break')) {
    await flush(begin(response), ROLE + WORD)
    response.destroy()
  } else if (prompt.startsWith('send')) begin(response).end(`${ROLE}data: {"choices":7}\n\n`)
  else {
    // pacing: a generation takes a moment.
    await pause(2)
    begin(response).end(ROLE + WORD + END)
  }
}

async function readEjections(apis: readonly HeadraceProcess[]): Promise<number> {
  let ejections = 0
  for (const { healthAddress } of apis) {
    const page = (await (await fetch(`${healthAddress}/engines`)).json()) as {
      readonly states: Readonly<Record<string, { readonly ejections: number }>>
    }
    for (const state of Object.values(page.states)) ejections += state.ejections
  }
  return ejections
}

type Bench = {
  readonly run: ProofRun
  readonly lines: readonly Line[]
  readonly hostileKeys: readonly string[]
}

async function sendHostile({ run, lines, hostileKeys }: Bench): Promise<number> {
  const count = run.short ? SHORT_HOSTILE : HOSTILE
  const kinds = Object.entries(KINDS)
  let succeeded = 0
  const indexes = Array.from({ length: count }, (_, index) => index)
  await forEachLimited(HOSTILE_AT_ONCE, indexes, async (index) => {
    const [kind, more] = kinds[index % kinds.length] ?? ['', {}]
    const line = lines[index % lines.length]
    const key = hostileKeys[run.random.between(0, hostileKeys.length - 1)] ?? ''
    const messages = [{ role: 'user', content: `${kind} ${index}` }]
    const exchange = await line?.chat(key, { model: MODEL, messages, ...more })
    if (exchange?.status === 200 && !exchange.text.includes('"error"')) succeeded += 1
  })
  if (succeeded > 0) run.fail(`${succeeded} hostile requests made no engine fail`)
  return count
}

async function prove(run: ProofRun): Promise<Figures> {
  await using started = new AsyncDisposableStack()
  const broken: Broken = { engine: undefined }
  let checks = 0
  const moves = openMoves()
  const engines = []
  for (let index = 0; index < ENGINES; index += 1) {
    const engine = await startFakeEngine((asked) => {
      if (isCheck(asked.body)) checks += 1
      noteTurn(moves, index, asked.body)
      return answer(index, broken, asked)
    })
    const { url } = started.use(engine)
    engines.push({ name: `faults-${index}`, url, kind: 'vllm', slots: SLOTS } as const)
  }
  const environment = started.use(
    await startEnvironment({
      engines,
      models: [{ id: MODEL, engines: engines.map(({ name }) => name) }],
    }),
  )
  const apis = await environment.startApis(PROCESSES)
  const lines = apis.map(({ apiRoot }) => started.use(openLine(apiRoot, SLOTS)))
  const openKeys = async (count: number) => {
    const keys = []
    for (let index = 0; index < count; index += 1) keys.push((await environment.openCaller()).key)
    return keys
  }
  const [hostileKeys, keys] = [await openKeys(HOSTILE_ORGANIZATIONS), await openKeys(BYSTANDERS)]
  const callers = { keys, hostile: hostileKeys[0] ?? '' }
  const beganMs = performance.now()
  await tryConversations(run, MODEL, lines, callers, moves)
  let sent = 0
  const load = startLoad(BYSTANDERS_AT_ONCE, BYSTANDER_PAUSE_MS, async (worker) => {
    const messages = [{ role: 'user', content: `work ${(sent += 1)}` }]
    const line = lines[worker % lines.length]
    if (line === undefined) throw new Error('no connection')
    return line.chat(keys[worker % keys.length] ?? '', { model: MODEL, messages })
  })
  const hostile = await sendHostile({ run, lines, hostileKeys })
  const tookMs = performance.now() - beganMs
  const { length } = load.exchanges
  const failed = load.exchanges.filter(({ status }) => status !== 200).length + load.broken.length
  if (length - failed < length * SUCCESS_SHARE_MIN)
    run.fail(`${failed} of ${length} requests of others failed`)
  const ejections = await readEjections(apis)
  if (ejections > 0) run.fail(`${ejections} ejections`)
  const checksMax = ENGINES * (Math.ceil(tookMs / CHECK_INTERVAL_MS) + 1)
  const checked = checks
  if (checked === 0 || checked > checksMax) run.fail(`${checked} checks in ${tookMs} ms`)
  // The same faults are the engine's own if it fails the check as well.
  broken.engine = 0
  const isEjected = async () => (await readEjections(apis)) > 0
  if ((await timeUntil(isEjected, TIMEOUT_MS)) === null)
    run.fail('an engine that fails every request was not ejected')
  await load.stop()
  const { turns, moved } = moves
  return {
    turns,
    moved,
    hostile,
    ejections,
    checks: checked,
    bystanders: length,
    bystanders_failed: failed,
  }
}

await runProof('tenant-faults', prove)
