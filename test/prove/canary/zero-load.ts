import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../../harness/random.ts'
import type { Server } from './place.ts'
import { ECHO_MODELS, RAW, REAL_MODEL, REFUSED, VALID, type Canary } from './requests.ts'
import { send, sendRaw, type Outcome } from './send.ts'
import type { Api, World } from './world.ts'

export type ZeroTally = {
  requests: number
  answered: number
  whole: number
  /** Answers that brought a canary back, so that it was there to be kept. */
  echoed: number
  crashes: number
  restarts: number
  readonly statuses: Map<number, number>
}

export type Servers = { postgres: Server; valkey: Server; engine: Server }

const CLIENTS = 16
/** Streams that are open when a process is made to crash. */
const OPEN_STREAMS = 12
/** Enough for the api to have told all of them something. */
const OPENING_MS = 300

/** Who asks while a process starts waits for it; what is under way when it crashes breaks off. */
type Running = { api: Promise<Api> }

/** Sends all the requests, and lets things crash and restart in between. */
export async function loadZero(
  world: World,
  servers: Servers,
  requests: number,
  mark: string,
  random: Random,
  api: Api,
): Promise<{ readonly tally: ZeroTally; readonly api: Api }> {
  const tally: ZeroTally = {
    requests: 0,
    answered: 0,
    whole: 0,
    echoed: 0,
    crashes: 0,
    restarts: 0,
    statuses: new Map(),
  }
  const running: Running = { api: Promise.resolve(api) }
  const faults = problemsOf(world, servers, running, tally, mark)
  const every = Math.floor(requests / (faults.length + 1))
  for (const [index, fault] of [...faults, undefined].entries()) {
    const part = fault === undefined ? requests - index * every : every
    const load = sendMany(world, running, part, tally, mark, random)
    // The fault comes while the last of these requests are under way.
    if (fault !== undefined) await Promise.all([load, pause(OPENING_MS).then(fault)])
    await load
  }
  return { tally, api: await running.api }
}

async function sendMany(
  world: World,
  running: Running,
  count: number,
  tally: ZeroTally,
  mark: string,
  random: Random,
): Promise<void> {
  let left = count
  const client = async () => {
    while (left > 0) {
      left -= 1
      const { address } = await running.api
      note(tally, await sendOne(world, address, tally, mark, random), mark)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
}

/** Every kind comes in turn, so that none is left to chance. */
function sendOne(
  world: World,
  address: string,
  tally: ZeroTally,
  mark: string,
  random: Random,
): Promise<Outcome> {
  const { key } = world.callers.zero
  const number = tally.requests
  tally.requests += 1
  const canary: Canary = (place) => `${mark}-${place}-${number}`
  const turn = Math.floor(number / 10)
  switch (number % 10) {
    case 0: {
      const bytes = RAW[turn % RAW.length]?.(canary, key) ?? ''
      return sendRaw(address, bytes)
    }
    case 1:
      return send(address, at(VALID, turn)(canary, key, REAL_MODEL))
    case 2:
    case 3:
    case 4:
    case 5:
      return send(address, at(REFUSED, number)(canary, key, 'canary/answers'))
    default: {
      const model = at(ECHO_MODELS, number)
      // Both go round, and not in step with each other.
      return send(address, at(VALID, turn + random.between(0, 1))(canary, key, model))
    }
  }
}

function at<T>(choices: readonly T[], index: number): T {
  return choices[index % choices.length] as T
}

function note(tally: ZeroTally, { status, whole, text }: Outcome, mark: string): void {
  tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1)
  if (status > 0) tally.answered += 1
  if (status > 0 && whole) tally.whole += 1
  if (text.includes(mark)) tally.echoed += 1
}

/** What happens during the load, in this order. */
function problemsOf(
  world: World,
  servers: Servers,
  running: Running,
  tally: ZeroTally,
  mark: string,
): (() => Promise<void>)[] {
  const crash = (signal: NodeJS.Signals) => async () => {
    const api = await running.api
    await openStreams(world, api, mark)
    const ended = api.end(signal)
    running.api = ended.then(() => world.startApi())
    await running.api
    tally.crashes += 1
  }
  const restart = (name: keyof Servers, signal: NodeJS.Signals, start: () => Promise<Server>) =>
    async function restartServer() {
      await servers[name].end(signal)
      servers[name] = await start()
      tally.restarts += 1
    }
  const { place } = world
  return [
    crash('SIGKILL'),
    crash('SIGABRT'),
    restart('valkey', 'SIGKILL', () => place.startValkey()),
    crash('SIGSEGV'),
    restart('postgres', 'SIGINT', () => place.startPostgres()),
    restart('engine', 'SIGABRT', () => place.startEngine()),
    crash('SIGTERM'),
  ]
}

/** Leaves streams open whose canaries are in the memory of the process. */
export async function openStreams(world: World, api: Api, mark: string): Promise<void> {
  const { key } = world.callers.zero
  for (let index = 0; index < OPEN_STREAMS; index += 1) {
    const content = `Keep ${mark}-open-${index} in mind.`
    const body = {
      model: 'canary/hangs',
      messages: [{ role: 'user', content }],
      stream: true,
    }
    void send(api.address, {
      method: 'POST',
      path: '/compat/v1/chat/completions',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  }
  await pause(OPENING_MS)
}
