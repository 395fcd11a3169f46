import type { Environment } from '../../harness/environment.ts'
import { waitUntil } from '../../harness/figures/measure.ts'
import type { HeadraceProcess } from '../../harness/processes/process.ts'
import { monthFrom } from './months.ts'

const DAY_MS = 86_400_000
const TIMEOUT_MS = 60_000

/** Two workers to whom it is the third day after a month. */
export async function startWorkers(
  environment: Environment,
  month: number,
): Promise<HeadraceProcess[]> {
  const shiftMs = monthFrom(month, 1) + 2.5 * DAY_MS - Date.now()
  const shift = `const { now } = Date; Date.now = () => now() + ${Math.round(shiftMs)}`
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(shift)}`
  return Promise.all([
    environment.startWorker({ NODE_OPTIONS }),
    environment.startWorker({ NODE_OPTIONS }),
  ])
}

/** Waits until one of them leads, and kills it. Returns how many were killed. */
export async function killLeader(workers: readonly HeadraceProcess[]): Promise<number> {
  const running = workers.filter((each) => each.isRunning())
  const leads = async () =>
    Promise.all(running.map(async (each) => each.metric('headrace_worker_leader')))
  let at = -1
  const isLed = async () => {
    at = (await leads()).indexOf(1)
    return at !== -1
  }
  await waitUntil('a worker to lead', isLed, TIMEOUT_MS)
  await running[at]!.kill()
  return 1
}

export async function killAll(workers: readonly HeadraceProcess[]): Promise<void> {
  await Promise.all(
    workers.map(async (each) => {
      await each.kill()
      await each[Symbol.asyncDispose]()
    }),
  )
}
