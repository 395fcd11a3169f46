import { linkSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { identifyProcess, isRunning, type ProcessIdentity } from './process-identity.ts'

/** Longer than a first installation over a slow connection. */
const TIMEOUT_MS = 15 * 60_000
const POLL_MS = 50

const LOCK_NAME = /^lock\.(\d+)$/

export type Lock = { release: () => void }

/**
 * Acquires the folder's lock and waits while a running process holds it.
 *
 * Locks are files `lock.N` with the identity of their holder; only the highest N counts. When its
 * holder has released it or is dead, `lock.N+1` supersedes it. It is not deleted first: a process
 * with an outdated view of the folder then finds the next name taken, or a higher one beside its
 * own, and starts over.
 */
export async function takeLock(
  folder: string,
  onWait: (holder: ProcessIdentity) => void = () => {},
): Promise<Lock> {
  mkdirSync(folder, { recursive: true })
  const own = identifyProcess(process.pid)
  const deadline = performance.now() + TIMEOUT_MS
  let notified = false
  for (;;) {
    const highest = Math.max(0, ...lockNumbers(folder))
    const holder = readHolder(lockPath(folder, highest))
    if (holder !== undefined && isRunning(holder)) {
      if (!notified) onWait(holder)
      notified = true
      if (performance.now() > deadline) {
        throw new Error(`process ${holder.pid} still holds ${lockPath(folder, highest)}`)
      }
      await delay(POLL_MS)
      continue
    }
    const number = highest + 1
    if (createWhole(lockPath(folder, number), JSON.stringify(own)) && isHighest(folder, number)) {
      for (const old of lockNumbers(folder)) {
        if (old < number) rmSync(lockPath(folder, old), { force: true })
      }
      return { release: () => writeFileSync(lockPath(folder, number), '') }
    }
  }
}

function lockPath(folder: string, number: number): string {
  return join(folder, `lock.${number}`)
}

function lockNumbers(folder: string): number[] {
  return readdirSync(folder).flatMap((name) => {
    const number = LOCK_NAME.exec(name)?.[1]
    return number === undefined ? [] : [Number(number)]
  })
}

function isHighest(folder: string, number: number): boolean {
  if (lockNumbers(folder).every((other) => other <= number)) return true
  rmSync(lockPath(folder, number), { force: true })
  return false
}

function readHolder(path: string): ProcessIdentity | undefined {
  try {
    const { pid, started } = JSON.parse(readFileSync(path, 'utf8')) as ProcessIdentity
    return { pid, started }
  } catch {
    return undefined
  }
}

/** A hard link appears with its full content or not at all, and never replaces a file. */
function createWhole(path: string, content: string): boolean {
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, content)
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  } finally {
    rmSync(draft, { force: true })
  }
}
