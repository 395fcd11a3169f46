// Rolling restarts under streaming clients break no stream and refuse no connection.
// covers: src/start/** src/http/shutdown.ts src/cli/processes/**
import { readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { chooseFreePort } from '../../stack/ports.ts'
import { startEnvironment } from '../harness/environment.ts'
import { openScripted, startStreamEngines } from '../harness/fake-engine/stream-engines.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { isWhole, type Chat } from '../harness/clients/stream-client.ts'

const RESTARTS = 10
const SHORT_RESTARTS = 3
const SOAK_RESTARTS = 100
const KEPT_CLIENTS = 20
const FRESH_CLIENTS = 20
/** They come and go all the time, to meet a listener at the very moment that it closes. */
const HASTY_CLIENTS = 2
/** How long the old and the new process run side by side before the old one is stopped. */
const OVERLAP_MS = 200
/** Longer than the longest stream, so that every kept connection has an answer that ends it. */
const LINGER_SECONDS = '1.7'
const PORT_FIRST = 26_000

const MODEL = 'drain/model'
/** Streams of about a second, so that many are open at each restart. */
const STREAM = { mode: 'talk', everyMs: 50 } as const
const WORDS_MAX = 30

type Tally = Record<
  | 'streams'
  | 'fresh'
  | 'reused'
  | 'broken'
  | 'refused'
  | 'reset_fresh'
  | 'reset_reused'
  | 'other_status',
  number
>

/**
 * Connections that wait to be accepted when a listener closes are reset by the kernel, unless it
 * is configured to hand them to another listener of the port. No program can prevent that.
 */
const KERNEL_HANDS_OVER = readFileSync('/proc/sys/net/ipv4/tcp_migrate_req', 'utf8').trim() === '1'

async function judge(chat: Chat, tally: Tally, run: ProofRun): Promise<void> {
  const ending = await chat.ended
  const connection = chat.reused ? 'reused' : 'fresh'
  tally.streams += 1
  tally[connection] += 1
  if (ending === 'complete' && chat.status === 200 && isWhole(chat)) return
  if (ending === 'refused') tally.refused += 1
  else if (ending === 'reset') tally[`reset_${connection}`] += 1
  else if (chat.status === 200) tally.broken += 1
  else tally.other_status += 1
  const what = `${ending} on a ${connection} connection: ${chat.status} ${chat.text.slice(-160)}`
  if (ending !== 'reset' || chat.reused || KERNEL_HANDS_OVER) run.fail(what.trim())
  else console.log(what.trim())
}

await runProof('drain', async (run) => {
  const { random } = run
  const restarts = run.soak ? SOAK_RESTARTS : run.short ? SHORT_RESTARTS : RESTARTS
  await using engines = await startStreamEngines(1)
  const slots = 4 * (KEPT_CLIENTS + FRESH_CLIENTS + HASTY_CLIENTS)
  await using environment = await startEnvironment({
    engines: [{ name: 'one', url: engines.urls[0] ?? '', slots }],
    models: [{ id: MODEL, engines: ['one'] }],
    environment: {
      HEADRACE_API_PORT: `${await chooseFreePort(PORT_FIRST + random.between(0, 1_000))}`,
      HEADRACE_API_LINGER_SECONDS: LINGER_SECONDS,
    },
  })
  let current = await environment.startApi({}, ['--reuse-port'])
  const target = { apiRoot: current.apiRoot, key: (await environment.openCaller()).key }

  const connections = { streams: 0, fresh: 0, reused: 0 }
  const failed = { broken: 0, refused: 0, reset_fresh: 0, reset_reused: 0, other_status: 0 }
  const tally: Tally = { ...connections, ...failed }
  const stop = new AbortController()
  const long = () => ({ ...STREAM, words: random.between(1, WORDS_MAX) })
  const short = () => ({ mode: 'quick' }) as const
  const runClient = async (script: typeof long | typeof short, keep: boolean) => {
    const connection = keep ? { agent: new Agent({ keepAlive: true, maxSockets: 1 }) } : {}
    while (!stop.signal.aborted) {
      const { chat } = openScripted(target, MODEL, script(), connection)
      await judge(chat, tally, run)
      // pacing: a client that finds no listener would otherwise do nothing but ask.
      if (chat.status === 0) await pause(5)
    }
  }
  const clients = [
    ...Array.from({ length: KEPT_CLIENTS }, () => runClient(long, true)),
    ...Array.from({ length: FRESH_CLIENTS }, () => runClient(long, false)),
    ...Array.from({ length: HASTY_CLIENTS }, (_, index) => runClient(short, index % 2 === 1)),
  ]

  let drainedMsMax = 0
  let cleanExits = 0
  for (let restart = 0; restart < restarts; restart += 1) {
    const next = await environment.startApi({}, ['--reuse-port'])
    // time is under test: both processes serve for a while.
    await pause(OVERLAP_MS + random.between(0, 100))
    const stoppedMs = performance.now()
    await current[Symbol.asyncDispose]()
    drainedMsMax = Math.max(drainedMsMax, performance.now() - stoppedMs)
    if (current.child.exitCode === 0) cleanExits += 1
    current = next
  }
  stop.abort()
  await Promise.all(clients)
  if (cleanExits !== restarts) run.fail(`${restarts - cleanExits} processes did not exit with 0`)
  if (tally.reused === 0) run.fail('no connection was reused')
  return {
    restarts,
    clean_exits: cleanExits,
    ...tally,
    tcp_migrate_req: KERNEL_HANDS_OVER ? 1 : 0,
    drained_ms_max: drainedMsMax.toFixed(0),
  }
})
