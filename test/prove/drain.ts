// Rolling restarts under streaming clients: no stream breaks, no connection is refused.
import { readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { chooseFreePort } from '../../stack/ports.ts'
import { createRandom } from '../harness/random.ts'
import { isWhole, openChat, type Chat, type Ending } from '../harness/stream-client.ts'
import { scripted, startEngines } from './streams/engines.ts'
import { createWorld } from './streams/world.ts'

const RESTARTS = 10
const SOAK_RESTARTS = 100
const KEPT_CLIENTS = 20
const FRESH_CLIENTS = 20
/** They come and go all the time, to meet a listener in the very moment that it closes. */
const HASTY_CLIENTS = 2
/** How long old and new run side by side before the old one is told to stop. */
const SETTLING_MS = 200
/** Longer than the longest stream, so that every kept connection has an answer that ends it. */
const LINGER_SECONDS = '1.7'
const PORT_FIRST = 26_000
const FAULTS_SHOWN = 10

const MODEL = 'drain/model'
/** A stream of about a second, so that many are open at each restart. */
const STREAM = { mode: 'talk', everyMs: 50 } as const
const WORDS_MAX = 30

type Tally = {
  streams: number
  fresh: number
  reused: number
  broken: number
  refused: number
  resetFresh: number
  resetReused: number
  otherStatus: number
  shown: number
}

/**
 * Connections that wait to be accepted when a listener closes are reset by the kernel, unless it
 * is told to hand them to another listener of the port. No program can prevent that by itself.
 */
function kernelHandsOver(): boolean {
  return readFileSync('/proc/sys/net/ipv4/tcp_migrate_req', 'utf8').trim() === '1'
}

type Target = { readonly apiRoot: string; readonly key: string }

function note(tally: Tally, chat: Chat, ending: Ending): void {
  tally.streams += 1
  tally[chat.reused ? 'reused' : 'fresh'] += 1
  if (ending === 'complete' && chat.status === 200 && isWhole(chat)) return
  if (ending === 'refused') tally.refused += 1
  else if (ending === 'reset') tally[chat.reused ? 'resetReused' : 'resetFresh'] += 1
  else if (chat.status === 200) tally.broken += 1
  else tally.otherStatus += 1
  tally.shown += 1
  if (tally.shown > FAULTS_SHOWN) return
  const how = chat.reused ? 'a kept connection' : 'a fresh connection'
  console.log(`${ending} on ${how}: ${chat.status} ${chat.text.slice(-160).trim()}`)
}

type Script = () => object

async function runClient(
  target: Target,
  next: Script,
  agent: Agent | undefined,
  tally: Tally,
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted) {
    const chat = openChat(target, next(), agent)
    note(tally, chat, await chat.ended)
    // A client that finds nobody would otherwise do nothing but ask.
    if (chat.status === 0) await pause(5)
  }
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { seed: { type: 'string' }, soak: { type: 'boolean', default: false } },
  })
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32))
  const restarts = values.soak ? SOAK_RESTARTS : RESTARTS
  console.log(`seed ${seed}; repeat with --seed ${seed}`)
  const random = createRandom(seed)
  await using engines = await startEngines(1)
  const slots = 4 * (KEPT_CLIENTS + FRESH_CLIENTS + HASTY_CLIENTS)
  const engine = { name: 'one', url: engines.urls[0] ?? '', slots, model_name: 'pebble' }
  await using world = await createWorld([engine], [{ id: MODEL, engines: ['one'] }])
  const port = await chooseFreePort(PORT_FIRST + random.between(0, 1_000))
  const environment = {
    HEADRACE_API_PORT: `${port}`,
    HEADRACE_API_REUSE_PORT: 'true',
    HEADRACE_API_LINGER_SECONDS: LINGER_SECONDS,
  }
  let current = await world.startApi(environment)
  const target: Target = { apiRoot: current.apiRoot, key: world.key }

  const none = { streams: 0, fresh: 0, reused: 0, broken: 0, refused: 0 }
  const tally: Tally = { ...none, resetFresh: 0, resetReused: 0, otherStatus: 0, shown: 0 }
  const stop = new AbortController()
  let asked = 0
  const long = () => {
    const words = random.between(1, WORDS_MAX)
    return scripted(MODEL, { ...STREAM, id: `${(asked += 1)}`, words })
  }
  const short = () => scripted(MODEL, { mode: 'quick', id: `${(asked += 1)}` })
  const keep = () => new Agent({ keepAlive: true, maxSockets: 1 })
  const run = (next: Script, agent?: Agent) => runClient(target, next, agent, tally, stop.signal)
  const clients = [
    ...Array.from({ length: KEPT_CLIENTS }, () => run(long, keep())),
    ...Array.from({ length: FRESH_CLIENTS }, () => run(long)),
    ...Array.from({ length: HASTY_CLIENTS }, (_, index) =>
      run(short, index % 2 ? keep() : undefined),
    ),
  ]

  let drainedMs = 0
  let exits = 0
  for (let restart = 0; restart < restarts; restart += 1) {
    const next = await world.startApi(environment)
    await pause(SETTLING_MS + random.between(0, 100))
    const toldMs = performance.now()
    await current[Symbol.asyncDispose]()
    drainedMs = Math.max(drainedMs, performance.now() - toldMs)
    if (current.child.exitCode === 0) exits += 1
    current = next
  }
  stop.abort()
  await Promise.all(clients)
  const { streams, fresh, reused, broken, refused, resetFresh, resetReused, otherStatus } = tally
  const handsOver = kernelHandsOver()
  console.log(
    `drain: restarts=${restarts} clean_exits=${exits} streams=${streams} fresh=${fresh} ` +
      `reused=${reused} broken=${broken} refused=${refused} reset_fresh=${resetFresh} ` +
      `reset_reused=${resetReused} other_status=${otherStatus} ` +
      `tcp_migrate_req=${handsOver ? 1 : 0} drained_ms_max=${drainedMs.toFixed(0)} seed=${seed}`,
  )
  const faults = broken + refused + (handsOver ? resetFresh : 0) + resetReused + otherStatus
  return faults === 0 && exits === restarts && streams > 0 && reused > 0 ? 0 : 1
}

process.exitCode = await main()
