import { timeUntil } from '../../harness/figures/measure.ts'
import type { Random } from '../../harness/figures/random.ts'
import type { HeadraceProcess } from '../../harness/processes/process.ts'
import type { PostgresServer } from '../../harness/servers/postgres-server.ts'
import type { CommitWay } from './commit-way.ts'

/** Between two faults something must be done, however long the processes take to start. */
const DONE_BETWEEN = 4
const BETWEEN_MS_MAX = 20_000

type Faulty = {
  readonly server: PostgresServer
  readonly way: CommitWay
  readonly consoles: readonly HeadraceProcess[]
}

/**
 * Breaks connections and kills consoles at a commit, before and after it is done, and PostgreSQL at
 * any moment, in turns, until told to stop. Returns how often PostgreSQL was killed.
 */
export async function disturbDatabase(
  { server, way, consoles }: Faulty,
  random: Random,
  { isOver, done }: { readonly isOver: () => boolean; readonly done: () => number },
): Promise<number> {
  let kills = 0
  const killOne = () => void random.pick(consoles).child.kill('SIGKILL')
  const killAll = () => {
    for (const { child } of consoles) child.kill('SIGKILL')
  }
  const turns: readonly (() => void | Promise<void>)[] = [
    () => way.breakAt('after'),
    () => way.breakAt('before'),
    () => way.breakAt('after', killOne),
    async () => {
      kills += 1
      await server.kill()
      await server.start()
    },
    () => way.breakAt('after', killAll),
  ]
  for (let turn = 0; !isOver(); turn += 1) {
    const doneBefore = done()
    await turns[turn % turns.length]?.()
    await timeUntil(() => isOver() || done() >= doneBefore + DONE_BETWEEN, BETWEEN_MS_MAX)
  }
  return kills
}
