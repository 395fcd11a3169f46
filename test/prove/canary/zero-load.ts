import { waitUntil } from '../../harness/figures/measure.ts'
import type { Random } from '../../harness/figures/random.ts'
import { openChat } from '../../harness/clients/stream-client.ts'
import type { Api, CanaryEnvironment } from './environment.ts'
import {
  chat,
  ECHO_MODELS,
  inTurn,
  RAW,
  REAL_MODEL,
  REJECTED,
  VALID,
  type Canary,
} from './requests.ts'
import { send, sendRaw, type Outcome } from './send.ts'
import type { ServerName } from './servers.ts'

/** The requests of a `zero` organization while processes crash and servers restart. */
export type ZeroLoad = {
  readonly environment: CanaryEnvironment
  readonly mark: string
  readonly random: Random
  /** While it restarts, clients wait; requests in progress at a crash break off. */
  api: Promise<Api>
  requests: number
  answered: number
  /** Answers that contained a canary, so that there was content to be written. */
  echoed: number
  /** Answers that name ignored parameters besides `stop`. */
  ignored: number
  crashes: number
  restarts: number
  readonly statuses: Map<number, number>
}

const CLIENTS = 16
/** Streams that are open when a process is made to crash. */
const OPEN_STREAMS = 12
const BEGIN_TIMEOUT_MS = 60_000

export async function runZeroLoad(
  environment: CanaryEnvironment,
  api: Api,
  requests: number,
  mark: string,
  random: Random,
): Promise<ZeroLoad> {
  const load: ZeroLoad = {
    environment,
    mark,
    random,
    api: Promise.resolve(api),
    requests: 0,
    answered: 0,
    echoed: 0,
    ignored: 0,
    crashes: 0,
    restarts: 0,
    statuses: new Map(),
  }
  const disruptions = [
    () => crash(load, 'SIGKILL'),
    () => crash(load, 'SIGABRT'),
    () => restart(load, 'valkey', 'SIGKILL'),
    () => crash(load, 'SIGSEGV'),
    () => restart(load, 'postgres', 'SIGINT'),
    () => restart(load, 'engine', 'SIGABRT'),
    () => crash(load, 'SIGTERM'),
  ]
  const every = Math.floor(requests / (disruptions.length + 1))
  // Each disruption comes while requests are in progress.
  for (const disrupt of disruptions)
    await Promise.all([sendMany(load, every), disruptDuring(load, every, disrupt)])
  await sendMany(load, requests - disruptions.length * every)
  return load
}

async function disruptDuring(load: ZeroLoad, every: number, disrupt: () => Promise<void>) {
  const wanted = load.requests + Math.min(CLIENTS, every)
  await waitUntil('requests in progress', () => load.requests >= wanted, BEGIN_TIMEOUT_MS)
  await disrupt()
}

async function crash(load: ZeroLoad, signal: NodeJS.Signals): Promise<void> {
  const api = await load.api
  await openStreams(load.environment, api, load.mark)
  load.api = api.end(signal).then(() => load.environment.startApi())
  await load.api
  load.crashes += 1
}

async function restart(load: ZeroLoad, name: ServerName, signal: NodeJS.Signals): Promise<void> {
  await load.environment.servers.end(name, signal)
  await load.environment.servers.start(name)
  load.restarts += 1
}

async function sendMany(load: ZeroLoad, count: number): Promise<void> {
  let left = count
  const client = async () => {
    while (left > 0) {
      left -= 1
      const { address } = await load.api
      const { status, text, ignored } = await sendOne(load, address)
      load.statuses.set(status, (load.statuses.get(status) ?? 0) + 1)
      if (status > 0) load.answered += 1
      if (text.includes(load.mark)) load.echoed += 1
      if (ignored.includes('user')) load.ignored += 1
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
}

/** Every kind in turn, so that none depends on chance. */
function sendOne(load: ZeroLoad, address: string): Promise<Outcome> {
  const { key, ignoringKey } = load.environment.callers.zero
  const number = load.requests
  load.requests += 1
  const canary: Canary = (field) => `${load.mark}-${field}-${number}`
  const turn = Math.floor(number / 10)
  const kind = number % 10
  if (kind === 0) return sendRaw(address, inTurn(RAW, turn)(canary, key))
  if (kind === 1) return send(address, inTurn(VALID, turn)(canary, key, REAL_MODEL, ignoringKey))
  if (kind <= 5) {
    const rejected = inTurn(REJECTED, number)
    return send(address, rejected(canary, key, 'canary/answers', ignoringKey))
  }
  // Both lists are gone through, and not in step with each other.
  const make = inTurn(VALID, turn + load.random.between(0, 1))
  return send(address, make(canary, key, inTurn(ECHO_MODELS, number), ignoringKey))
}

/** Leaves streams open whose canaries are in the memory of the process, which has answered each. */
export async function openStreams(
  { callers }: CanaryEnvironment,
  { address }: Api,
  mark: string,
): Promise<void> {
  const target = { apiRoot: `${address}/compat/v1`, key: callers.zero.key }
  const streams = Array.from({ length: OPEN_STREAMS }, (_, index) => {
    const body = chat('canary/hangs', () => `${mark}-open-${index}`, { stream: true })
    return openChat(target, JSON.parse(body) as object)
  })
  await Promise.all(streams.map(({ begun }) => begun))
  if (!streams.some(({ status }) => status === 200)) throw new Error('no stream is open')
}
