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

/** A long generation: as fast as the engine can write it, and fifty tokens a second. */
const LONG = 'fake-c500-d0'
const LONG_PACED = 'fake-c500-d20'
/** Ten tokens a second for five seconds: a thousand of them are 10,000 events a second. */
const CHANGING = 'fake-c50-d100'
/** The first token after 50 ms. */
const AWAITED = 'fake-c64-d20-f50'

export const MODELS = [SHORT, USUAL, SLOW, IDLE, BRISK, LONG, LONG_PACED, CHANGING, AWAITED]

function streams(name: string, model: string, count: number, times: string): Workload {
  const load = `--stream --usage --model ${model} --conns ${count} ${times}`
  return { name, per: 'event', load: load.split(' ') }
}

export const JSON_REPLY: Workload = {
  name: 'json',
  per: 'request',
  load: `--model ${SHORT} --conns 32 --warmup 0.3 --duration 1.5`.split(' '),
}

/** For targets that have all processors, which they share with the load. */
export const JSON_BOTH_CORES: Workload = {
  name: 'json_both',
  per: 'request',
  load: `--model ${SHORT} --conns 64 --warmup 0.3 --duration 1.5`.split(' '),
}

export const JSON_500: Workload = {
  name: 'json500',
  per: 'request',
  load: `--model ${LONG} --conns 16 --warmup 0.3 --duration 1.5`.split(' '),
}

/** Forty begin and forty end in every second of the window; each takes ten seconds. */
export const JSON_500_PACED: Workload = {
  name: 'json500_paced',
  per: 'request',
  load: `--model ${LONG_PACED} --conns 400 --stagger-ms 10000 --warmup 10.5 --duration 3`.split(
    ' ',
  ),
}

const PROMPT = `--model ${SHORT} --conns 8 --prompt-bytes 200000 --warmup 0.3 --duration 1.5`

export const PROMPT_200KB: Workload = {
  name: 'prompt200k',
  per: 'request',
  load: PROMPT.split(' '),
}

/** Half of the sentences are French, Russian, Japanese or German. */
export const PROMPT_200KB_NON_ASCII: Workload = {
  name: 'prompt200k_u',
  per: 'request',
  load: `${PROMPT} --non-ascii`.split(' '),
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

const CHANGING_TIMES = '--expect 50 --stagger-ms 4900 --warmup 5.2 --duration 3'

/** Streams that come and go while their events keep Headrace busy for half of a core. */
export const FIRST_BYTE_1000 = streams('first1000', CHANGING, 1_000, CHANGING_TIMES)

export const FIRST_BYTE_100 = streams('first100', CHANGING, 100, CHANGING_TIMES)

/** A thousand clients a second, each of which disconnects at its first token. */
export const ABORTS: Workload = {
  ...streams(
    'aborts',
    AWAITED,
    50,
    '--abort-percent 100 --abort-within 1 --stagger-ms 50 --warmup 0.3 --duration 1.5',
  ),
  per: 'abort',
}

export function idleStreams(count: number): Workload {
  const staggerMs = count * 0.8
  const warming = `--warmup ${staggerMs / 1000 + 0.7} --all-open`
  const times = `--stagger-ms ${staggerMs} ${warming} --duration 0.5`
  return streams(`idle${count}`, IDLE, count, times)
}

/** Streams that come and go, a fifth of them abandoned at some event. */
export function abandonedStreams(seconds: number): Workload {
  const times = `--abort-percent 20 --warmup 0 --duration ${seconds}`
  return streams('soak', BRISK, 100, times)
}
