import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** An id alone is not enough: after its process has ended, the kernel gives it to another. */
export type ProcessIdentity = { pid: number; started: string }

const POLL_MS = 20

/** The identity of the process that has this id now; undefined if there is none or it has ended. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  return process.platform === 'linux' ? identifyByProc(pid) : identifyBySignal(pid)
}

export function isRunning(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.started === identity.started
}

/** True once the process has ended, false if it still runs after the given time. */
export async function waitForEnd(identity: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs
  while (isRunning(identity)) {
    if (performance.now() > deadline) return false
    await delay(POLL_MS)
  }
  return true
}

function identifyByProc(pid: number): ProcessIdentity | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  // The second field is the program's name in parentheses and may itself hold spaces and
  // parentheses: what follows the last one is safe to split.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, startTicks] = [fields[0], fields[19]]
  // A zombie waits for its parent to read its exit code; a container's first process may never do.
  if (state === 'Z' || state === 'X' || startTicks === undefined) return undefined
  // The ticks count from the boot, so they can repeat after the next one.
  const boot = readIfThere('/proc/sys/kernel/random/boot_id')?.trim() ?? ''
  return { pid, started: `${boot}:${startTicks}` }
}

/** Without /proc the start time is out of reach, and the process id has to do. */
function identifyBySignal(pid: number): ProcessIdentity | undefined {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined
  }
  return { pid, started: '' }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
