import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** A process id alone is not enough, because the kernel reuses it. */
export type ProcessIdentity = { pid: number; started: string }

const POLL_MS = 20

/** The identity of the process with this id; undefined if there is none or it has ended. */
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
  // The second field is the program's name in parentheses, which may itself contain spaces and
  // parentheses. Only the text after the last parenthesis is safe to split.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, startTicks] = [fields[0], fields[19]]
  // A zombie waits for its parent to read its exit code; a container's init may never do so.
  if (state === 'Z' || state === 'X' || startTicks === undefined) return undefined
  // Ticks count from boot, so they can repeat after a reboot.
  const boot = readIfThere('/proc/sys/kernel/random/boot_id')?.trim() ?? ''
  return { pid, started: `${boot}:${startTicks}` }
}

/** Without /proc there is no start time, and the process id alone has to do. */
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
