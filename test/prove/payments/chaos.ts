import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { timeUntil } from '../../harness/figures/measure.ts'
import type { Random } from '../../harness/figures/random.ts'
import type { ProviderControl } from '../../harness/payments/provider-client.ts'
import type { HeadraceProcess } from '../../harness/processes/process.ts'

/** The provider's steps at which something dies, before and after their effect. */
const STEPS = [
  'POST /v1/customers',
  'POST /v1/checkout/sessions',
  'GET /v1/checkout/sessions/',
  'GET /v1/events',
] as const
const EVERY_MS = 400
const START_MS_MAX = 30_000

/** A process that starts again whenever it dies. */
export function supervise(process: HeadraceProcess): { stop(): Promise<void>; starts(): number } {
  let isOver = false
  let starts = 0
  const watching = (async () => {
    for (;;) {
      if (process.isRunning()) await once(process.child, 'exit')
      if (isOver) return
      await process.start()
      starts += 1
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

/**
 * Kills consoles and the provider until told to stop: at a step of the provider, before and after
 * its effect, in turns, and in between at any moment. Returns how often.
 */
export async function killAtSteps(
  provider: ProviderControl,
  consoles: readonly HeadraceProcess[],
  random: Random,
  isOver: () => boolean,
): Promise<number> {
  let killed = 0
  for (let turn = 0; !isOver(); turn += 1) {
    const at = STEPS[turn % STEPS.length] ?? STEPS[0]
    const when = Math.floor(turn / STEPS.length) % 2 === 0 ? 'before' : 'after'
    const pids = consoles.flatMap(({ child }) => child.pid ?? [])
    const kill = random.pick([...pids.map((pid) => [pid]), pids, [0], []])
    const failing = random.chance(0.2) ? { status: random.pick([429, 500, 503]) } : {}
    await provider.script([{ at, when, kill, ...failing }]).catch(() => undefined)
    // pacing: somebody meets the fault meanwhile.
    await pause(EVERY_MS)
    // A process that is killed while it starts proves nothing.
    await timeUntil(() => isOver() || consoles.every((each) => each.isRunning()), START_MS_MAX)
    if (random.chance(0.3)) {
      killed += 1
      random.pick(consoles).child.kill('SIGKILL')
    }
  }
  await provider.script()
  return killed
}
