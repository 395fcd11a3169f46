// At five times its capacity the service does as much work as ever, and refuses the rest at once.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openLine, type Exchange, type Line } from '../harness/http-client.ts'
import { percentile } from '../harness/measure.ts'
import { createRandom, type Random } from '../harness/random.ts'
import { MODEL, startPlace } from './overload/place.ts'

const SLOTS = 8
const SERVICE_MS = 200
const CAPACITY_PER_SECOND = (SLOTS * 1000) / SERVICE_MS
const OVERLOAD = 5
const MODEST = 9
/** What the modest ones ask for together, as a share of the capacity. */
const MODEST_SHARE = 0.4
/** Enough to keep every slot busy, so that what comes out is the peak. */
const PEAK_WORKERS = 2 * SLOTS
const PEAK_MS = 6_000
const WARM_MS = 1_000
const FAST_MS = 20_000
const SOAK_MS = 600_000
const LISTS_PER_SECOND = 20
const CONNECTIONS = 400
/** How often the clients look which requests are due. */
const TICK_MS = 2

const GOODPUT_MIN = 0.95
const REFUSAL_MS_MAX = 20
const MODEST_SUCCESS_MIN = 0.99

const BODY = JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'Work.' }] })

/**
 * The list is what is admitted and never waits: beside it one sees what the machine itself adds.
 */
type Kind = 'greedy' | 'modest' | 'list'

type Seen = Exchange & { readonly kind: Kind }

async function ask(line: Line, key: string): Promise<Exchange> {
  const sent = { method: 'POST', path: '/chat/completions', body: BODY }
  return line.send({ ...sent, authorization: `Bearer ${key}` })
}

/** Completions per second while every slot is busy and nobody is refused. */
async function measurePeak(line: Line, key: string): Promise<number> {
  const startMs = performance.now() + WARM_MS
  const endMs = startMs + PEAK_MS
  let completed = 0
  const work = async () => {
    while (performance.now() < endMs) {
      const { status, endedMs, text } = await ask(line, key)
      if (status !== 200) throw new Error(`refused at capacity: ${status} ${text}`)
      if (endedMs >= startMs && endedMs < endMs) completed += 1
    }
  }
  await Promise.all(Array.from({ length: PEAK_WORKERS }, work))
  return (completed * 1000) / PEAK_MS
}

type Client = { readonly key: string; readonly perSecond: number; readonly kind: Kind }

/** Requests come when they come, however slowly the earlier ones are answered. */
async function offer(line: Line, clients: readonly Client[], durationMs: number, random: Random) {
  const seen: Seen[] = []
  const open: Promise<void>[] = []
  const startMs = performance.now()
  const between = (perSecond: number) => (1000 / perSecond) * (random.between(5, 15) / 10)
  const due = clients.map(({ perSecond }) => startMs + between(perSecond))
  for (let nowMs = startMs; nowMs < startMs + durationMs; nowMs = performance.now()) {
    for (const [index, { key, perSecond, kind }] of clients.entries()) {
      for (let at = due[index] ?? nowMs; at <= nowMs; at += between(perSecond)) {
        const asked = kind === 'list' ? line.models(key) : ask(line, key)
        open.push(asked.then((exchange) => void seen.push({ ...exchange, kind })))
        due[index] = at + between(perSecond)
      }
    }
    await pause(TICK_MS)
  }
  await Promise.all(open)
  return { seen, startMs }
}

function tookMs({ begunMs, endedMs }: Exchange): number {
  return endedMs - begunMs
}

function judgeOverload(seen: readonly Seen[], startMs: number, durationMs: number, peak: number) {
  const inTime = (one: Seen) =>
    one.endedMs >= startMs + WARM_MS && one.endedMs < startMs + durationMs
  const asked = seen.filter(({ kind }) => kind !== 'list')
  const completed = asked.filter((one) => one.status === 200 && inTime(one)).length
  const refusals = asked.filter(({ status }) => status === 503 || status === 429)
  const modest = seen.filter(({ kind }) => kind === 'modest')
  const listed = seen.filter(({ kind }) => kind === 'list')
  return {
    goodput: (completed * 1000) / (durationMs - WARM_MS) / peak,
    offered: asked.length,
    refusals: refusals.length,
    others: seen.filter(({ status }) => ![200, 429, 503].includes(status)).length,
    refusalMs: [0.5, 0.9, 0.99].map((share) => percentile(refusals.map(tookMs), share)),
    withoutDelay: refusals.filter(({ headers }) => !(Number(headers['retry-after']) >= 1)).length,
    modest: modest.length,
    modestSuccess: modest.filter(({ status }) => status === 200).length / modest.length,
    listMs: percentile(listed.map(tookMs), 0.99),
    modestMs: percentile(modest.map(tookMs), 0.99),
  }
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: { soak: { type: 'boolean', default: false }, seed: { type: 'string' } },
  })
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
  const durationMs = values.soak ? SOAK_MS : FAST_MS
  await using place = await startPlace({ slots: SLOTS, serviceMs: SERVICE_MS })
  await using line = openLine(place.api.apiRoot, CONNECTIONS)
  const keys = await Promise.all(Array.from({ length: MODEST + 1 }, () => place.openCaller()))
  const peak = await measurePeak(line, keys[0] ?? '')
  console.log(`peak ${peak.toFixed(1)} per second of ${CAPACITY_PER_SECOND}, seed ${seed}`)
  const modestly = (CAPACITY_PER_SECOND * MODEST_SHARE) / MODEST
  const greedily = CAPACITY_PER_SECOND * (OVERLOAD - MODEST_SHARE)
  const clients = keys.map((key, index): Client =>
    index === 0
      ? { key, kind: 'greedy', perSecond: greedily }
      : { key, kind: 'modest', perSecond: modestly },
  )
  clients.push({ key: keys[1] ?? '', kind: 'list', perSecond: LISTS_PER_SECOND })
  // What this process is late by itself, it would otherwise blame on the service.
  using late = Object.assign(monitorEventLoopDelay({ resolution: 1 }), {
    [Symbol.dispose]: () => late.disable(),
  })
  late.enable()
  const { seen, startMs } = await offer(line, clients, durationMs, createRandom(seed))
  const lateMs = late.percentile(99) / 1e6
  const result = judgeOverload(seen, startMs, durationMs, peak)
  const [p50 = Infinity, p90 = Infinity, p99 = Infinity] = result.refusalMs
  console.log(
    `overload: peak=${peak.toFixed(1)}/s offered=${result.offered} ` +
      `goodput=${(100 * result.goodput).toFixed(1)}% refusals=${result.refusals} ` +
      `refusal_p50=${p50.toFixed(1)}ms refusal_p90=${p90.toFixed(1)}ms ` +
      `refusal_p99=${p99.toFixed(1)}ms without_retry_after=${result.withoutDelay} ` +
      `modest=${result.modest} modest_success=${(100 * result.modestSuccess).toFixed(1)}% ` +
      `modest_p99=${result.modestMs.toFixed(0)}ms others=${result.others} ` +
      `list_p99=${result.listMs.toFixed(1)}ms client_late_p99=${lateMs.toFixed(1)}ms seed=${seed}`,
  )
  return (
    result.goodput >= GOODPUT_MIN &&
    result.refusals > 0 &&
    p99 <= REFUSAL_MS_MAX &&
    result.withoutDelay === 0 &&
    result.others === 0 &&
    result.modestSuccess >= MODEST_SUCCESS_MIN
  )
}

process.exitCode = (await main()) ? 0 : 1
