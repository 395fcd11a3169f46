import { execFile, spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { availableParallelism } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Engine and load generator share one processor, and what is measured has another for itself. */
export const HARNESS_CPU = 0
const TARGET_CPU = 1
/** For what runs in several processes; then it shares them with the engine and the load. */
const BOTH_CPUS = '0,1'
export const HAS_TWO_CPUS = availableParallelism() > 1

/** Ahead of whatever else runs on the machine, if we may; `nice` goes on if we may not. */
const PRIORITY = '-10'
const START_TIMEOUT_MS = 15_000
const STOP_TIMEOUT_MS = 3_000
const POLL_MS = 50
/** A process that finds its port taken has ended by then. */
const SETTLING_MS = 500

export type Running = AsyncDisposable & { readonly pid: number; readonly child: ChildProcess }

/** Where a target runs that has so many processes or threads. */
export function targetCpus(processes: number): number | string {
  return processes === 1 ? TARGET_CPU : BOTH_CPUS
}

export function startPinned(
  cpu: number | string,
  command: readonly string[],
  options: SpawnOptions = {},
): Running {
  const pin = HAS_TWO_CPUS ? ['taskset', '-c', `${cpu}`] : []
  const child = spawn('nice', ['-n', PRIORITY, ...pin, ...command], { stdio: 'ignore', ...options })
  if (child.pid === undefined) throw new Error(`could not start ${command[0]}`)
  const killNow = () => child.kill('SIGKILL')
  process.once('exit', killNow)
  return {
    pid: child.pid,
    child,
    async [Symbol.asyncDispose]() {
      process.off('exit', killNow)
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      const late = setTimeout(killNow, STOP_TIMEOUT_MS)
      await ended
      clearTimeout(late)
    },
  }
}

/** The same for a process that somebody else has started. */
export async function pinRunning(cpu: number, pid: number): Promise<void> {
  if (HAS_TWO_CPUS) await run('taskset', ['-a', '-c', '-p', `${cpu}`, `${pid}`])
  await run('renice', ['-n', PRIORITY, '-p', `${pid}`]).catch(() => undefined)
}

/** Waits until the process listens, or has ended because another took its port. */
export async function waitForPort(
  port: number,
  { child }: Running,
  timeoutMs = START_TIMEOUT_MS,
): Promise<void> {
  const endMs = performance.now() + timeoutMs
  for (let open = false; !open; open = await isOpen(port)) {
    // pacing: the port is tried again after a moment.
    await pause(POLL_MS)
    if (child.exitCode !== null) break
    if (performance.now() > endMs) throw new Error(`nothing listens on ${port}`)
  }
  // time is under test: a process that found its port in use needs this long to end.
  await pause(SETTLING_MS)
  if (child.exitCode !== null) throw new Error(`what should listen on ${port} has ended`)
}

export async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** A process and those that it has started. */
export function withChildren(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return [pid, ...children.split(' ').filter(Boolean).map(Number)]
}

/** Streams that the last run broke off still end in the engine; then it falls silent. */
export async function waitForSilence(pid: number): Promise<void> {
  const endMs = performance.now() + STOP_TIMEOUT_MS
  for (let before = cpuNanoseconds(pid); performance.now() < endMs;) {
    // time is under test: the processor time of an engine is measured over a while.
    await pause(2 * POLL_MS)
    const now = cpuNanoseconds(pid)
    if (now - before < SILENT_NANOSECONDS) return
    before = now
  }
}

const SILENT_NANOSECONDS = 200_000

function cpuNanoseconds(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0])
}
