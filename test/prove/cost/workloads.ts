import type { Workload } from '../../../bench/load.ts'

/** A short generation that the engine has ready at once: what a request costs by itself. */
const SHORT = 'fake-c8-b8'
/** Fifty tokens a second for five seconds, one to a packet, as engines send them. */
const USUAL = 'fake-c256-d20'
/** Two tokens a second for some seconds. */
const SLOW = 'fake-c6-d500'
/** One token, and then nothing for longer than anyone looks. */
const IDLE = 'fake-c2-d60000'

/** A short stream, for warming up and for wearing out. */
const BRISK = 'fake-c64-d20'

export const MODELS = [SHORT, USUAL, SLOW, IDLE, BRISK]

function words(line: string): readonly string[] {
  return line.split(' ')
}

function streams(model: string, count: number, times: string): readonly string[] {
  return words(`--stream --usage --model ${model} --conns ${count} ${times}`)
}

export const JSON_REPLY: Workload = {
  name: 'json',
  per: 'request',
  load: words(`--model ${SHORT} --conns 32 --warmup 0.3 --duration 1.5`),
}

const EVENTS = '--expect 256 --stagger-ms 800 --warmup 1 --duration 1.4'

export const EVENTS_10K: Workload = {
  name: 'events10k',
  per: 'event',
  load: streams(USUAL, 200, EVENTS),
}

export const EVENTS_25K: Workload = {
  name: 'events25k',
  per: 'event',
  load: streams(USUAL, 500, EVENTS),
}

/** A thousand streams that come and go, with hardly anything else to do. */
export const FIRST_BYTE: Workload = {
  name: 'first',
  per: 'event',
  load: streams(SLOW, 1_000, '--expect 6 --stagger-ms 2500 --warmup 3 --duration 3'),
}

export function idleStreams(count: number): Workload {
  const staggerMs = count * 0.8
  const times = `--stagger-ms ${staggerMs} --warmup ${staggerMs / 1000 + 0.7} --duration 0.5`
  return { name: `idle${count}`, per: 'event', load: streams(IDLE, count, times) }
}

/** Streams that come and go, a fifth of them abandoned at some event. */
export function abandonedStreams(seconds: number): Workload {
  const times = `--abort-percent 20 --warmup 0 --duration ${seconds}`
  return { name: 'soak', per: 'event', load: streams(BRISK, 100, times) }
}
