import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Environment } from '../../harness/environment.ts'
import { timeUntil } from '../../harness/figures/measure.ts'
import type { Random } from '../../harness/figures/random.ts'
import type { Outcome } from '../../harness/payments/provider-books.ts'
import type { ProviderControl } from '../../harness/payments/provider-client.ts'
import type { Fault } from '../../harness/payments/scripted-provider.ts'
import type { HeadraceProcess } from '../../harness/processes/process.ts'

/** The provider's steps at which something dies, before and after their effect. */
const STEPS = [
  'POST /v1/customers',
  'POST /v1/checkout/sessions',
  'GET /v1/checkout/sessions/',
  'GET /v1/events',
  'POST /v1/refunds',
  'POST /v1/credit_notes',
  'GET /v1/refunds/',
  'GET /v1/disputes/',
] as const
/** Between two kills something must be done, however long the processes take to start. */
const DONE_BETWEEN = 3
const BETWEEN_MS_MAX = 20_000
const START_MS_MAX = 30_000
const START_AGAIN_MS = 200

/** A process that starts again whenever it dies, also while it starts: its database may be away. */
export function supervise(process: HeadraceProcess): { stop(): Promise<void>; starts(): number } {
  let isOver = false
  let starts = 0
  const watching = (async () => {
    for (;;) {
      if (process.isRunning()) await once(process.child, 'exit')
      if (isOver) return
      const hasStarted = await process.start().then(
        () => true,
        () => false,
      )
      if (!hasStarted) {
        // pacing: a supervisor waits before it tries again.
        await pause(START_AGAIN_MS)
        continue
      }
      starts += 1
      // It was starting when it was told to stop.
      if (isOver) await process.kill()
    }
  })()
  return {
    starts: () => starts,
    async stop() {
      isOver = true
      await process.kill()
      await watching
    },
  }
}

export async function stopAll(all: readonly { stop(): Promise<void> }[]): Promise<void> {
  await Promise.all(all.map(async (each) => each.stop()))
}

/**
 * Polling begins with the process and comes every minute, and what a dead process was about to read
 * waits for as long. Time that passes until then proves nothing, so short forms skip it: one
 * console starts again, and everything is due.
 */
export async function pollNow(
  { postgres: { pool } }: Environment,
  consoles: readonly HeadraceProcess[],
): Promise<void> {
  await consoles[0]?.kill()
  await pool.query('update provider_cursors set polled_at = null, leased_until = null')
  await pool.query('update provider_readings set next_at = now(), leased_until = null')
}

type Chaos = {
  readonly steps: readonly string[]
  /** What banks say to charges to come. */
  readonly outcomes: () => readonly Outcome[]
  /** What else goes wrong in a turn, without a kill. */
  readonly also?: () => readonly Fault[]
  /** False: only answers are lost from now on. */
  readonly mayKill?: () => boolean
}

const CHAOS: Chaos = { steps: STEPS, outcomes: () => [] }

/**
 * Kills consoles and the provider until told to stop, each time after some payments: at a step of
 * the provider, before and after its effect, in turns, and in between at any moment. Returns how
 * often.
 */
export async function killAtSteps(
  provider: ProviderControl,
  consoles: readonly HeadraceProcess[],
  random: Random,
  { isOver, done }: { readonly isOver: () => boolean; readonly done: () => number },
  { steps, outcomes, also = () => [], mayKill = () => true }: Chaos = CHAOS,
): Promise<number> {
  let killed = 0
  let doneBefore = 0
  for (let turn = 0; !isOver(); turn += 1) {
    const at = steps[turn % steps.length] ?? STEPS[0]
    const when = Math.floor(turn / steps.length) % 2 === 0 ? 'before' : 'after'
    const pids = consoles.flatMap(({ child }) => child.pid ?? [])
    const kill = mayKill() ? random.pick([...pids.map((pid) => [pid]), pids, [0], []]) : []
    const failing = random.chance(0.2) ? { status: random.pick([429, 500, 503]) } : {}
    await provider.script([{ at, when, kill, ...failing }, ...also()], outcomes())
    // Somebody meets the fault meanwhile. Nobody would get anything done between kills that follow
    // each other faster than a busy machine starts a process.
    await timeUntil(() => isOver() || done() >= doneBefore + DONE_BETWEEN, BETWEEN_MS_MAX)
    doneBefore = done()
    // A process that is killed while it starts proves nothing.
    await timeUntil(() => isOver() || consoles.every((each) => each.isRunning()), START_MS_MAX)
    if (mayKill() && random.chance(0.3)) {
      killed += 1
      random.pick(consoles).child.kill('SIGKILL')
    }
  }
  await provider.script()
  return killed
}
