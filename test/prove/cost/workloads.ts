import type { Workload } from '../../../bench/load.ts'

/** A short generation that the engine sends at once: the cost of a request alone. */
const SHORT = 'fake-c8-b8'
/** Fifty tokens a second for five seconds, one to a packet, as engines send them. */
const USUAL = 'fake-c256-d20'
/** Two tokens a second for some seconds. */
const SLOW = 'fake-c6-d500'
/** One token, and then nothing for longer than any workload runs. */
const IDLE = 'fake-c2-d60000'

/** A short stream, for warming up and for the soak. */
const BRISK = 'fake-c64-d20'

export const MODELS = [SHORT, USUAL, SLOW, IDLE, BRISK]

function streams(name: string, model: string, count: number, times: string): Workload {
  const load = `--stream --usage --model ${model} --conns ${count} ${times}`
  return { name, per: 'event', load: load.split(' ') }
}

export const JSON_REPLY: Workload = {
  name: 'json',
  per: 'request',
  load: `--model ${SHORT} --conns 32 --warmup 0.3 --duration 1.5`.split(' '),
}

const EVENTS = '--expect 256 --stagger-ms 800 --warmup 1 --duration 1.4'

export const EVENTS_10K = streams('events10k', USUAL, 200, EVENTS)

export const EVENTS_25K = streams('events25k', USUAL, 500, EVENTS)

/** A thousand streams that come and go, with hardly any other load. */
export const FIRST_BYTE = streams(
  'first',
  SLOW,
  1_000,
  '--expect 6 --stagger-ms 2500 --warmup 3 --duration 3',
)

export function idleStreams(count: number): Workload {
  const staggerMs = count * 0.8
  const times = `--stagger-ms ${staggerMs} --warmup ${staggerMs / 1000 + 0.7} --duration 0.5`
  return streams(`idle${count}`, IDLE, count, times)
}

/** Streams that come and go, a fifth of them abandoned at some event. */
export function abandonedStreams(seconds: number): Workload {
  const times = `--abort-percent 20 --warmup 0 --duration ${seconds}`
  return streams('soak', BRISK, 100, times)
}
