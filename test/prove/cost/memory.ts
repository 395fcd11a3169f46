import { setTimeout as pause } from 'node:timers/promises'
import { median, warmUp } from '../../../bench/bench.ts'
import { runLoad, type Target } from '../../../bench/load.ts'
import { residentBytes } from '../../harness/processes/process.ts'
import type { Figure } from './figures.ts'
import { abandonedStreams, idleStreams } from './workloads.ts'

const WARMING_SECONDS = 5
const FEW = 1_000
const MANY = 4_000
const KIB_PER_MIB = 1024
const KIB_PER_STREAM_MAX = 40

const SAMPLE_MS = 2_000
/** One of so many samples is printed. */
const SAMPLES_BETWEEN = 10
/** A process first fills its caches and heap; from then on its memory should stay the same. */
const SETTLING_SHARE = 0.2
const GROWTH_MAX = 1.1

export async function measureIdleStreams(headrace: Target, enginePid: number): Promise<Figure> {
  const value = await idleStreamKib(headrace, enginePid)
  return { name: 'idle_stream', value, max: KIB_PER_STREAM_MAX, unit: 'KiB' }
}

/** The memory of one open stream, from the difference that some thousands of them make. */
export async function idleStreamKib(target: Target, enginePid: number): Promise<number> {
  await warmUp(target, enginePid, WARMING_SECONDS)
  const few = await runLoad(target, idleStreams(FEW), enginePid)
  const many = await runLoad(target, idleStreams(MANY), enginePid)
  return ((many.rss_mib - few.rss_mib) * KIB_PER_MIB) / (MANY - FEW)
}

/** Memory while clients come, go, and abandon a fifth of their streams: the end over the start. */
export async function measureSoak(
  headrace: Target,
  enginePid: number,
  seconds: number,
): Promise<Figure> {
  const samples: number[] = []
  const ended = new AbortController()
  const sampling = sampleMemory(headrace, samples, ended.signal)
  await runLoad(headrace, abandonedStreams(seconds), enginePid)
  ended.abort()
  await sampling
  const settled = samples.slice(Math.floor(samples.length * SETTLING_SHARE))
  const part = Math.floor(settled.length / 4)
  const value = median(settled.slice(-part)) / median(settled.slice(0, part))
  const shown = samples.filter((_, index) => index % SAMPLES_BETWEEN === 0)
  const mebibytes = shown.map((bytes) => Math.round(bytes / 2 ** 20))
  console.log(
    `memory every ${(SAMPLE_MS * SAMPLES_BETWEEN) / 1000} s, in MiB: ${mebibytes.join(' ')}`,
  )
  return { name: 'soak_memory', value, max: GROWTH_MAX, unit: 'x_start' }
}

async function sampleMemory(target: Target, samples: number[], ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    samples.push(target.pids.reduce((sum, pid) => sum + residentBytes(pid), 0))
    // pacing: memory is sampled at an interval.
    await pause(SAMPLE_MS, undefined, { signal: ended }).catch(() => undefined)
  }
}
