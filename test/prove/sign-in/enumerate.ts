import { randomUUID } from 'node:crypto'
import { openConsoleClient, type ConsoleAnswer } from '../../harness/clients/console-clients.ts'
import { newAddress, openPerson, type Headers } from '../../harness/processes/console.ts'
import type { ProofRun } from '../../harness/proof.ts'
import type { Postgres } from '../../../src/store/postgres/postgres.ts'
import { openPeople } from './people.ts'

/**
 * Two samples of the same distribution exceed it once in 15,000 tests. The smallest difference that
 * 1,000 trials each can show is then a fifth of the spread of the times.
 */
const Z_MAX = 4

type Door = {
  readonly name: string
  readonly path: string
  body(email: string): object
  as?(): Promise<Headers>
}

/** Whether an answer, or its time, tells an address that has an account from one that has none. */
export async function enumerate(
  run: ProofRun,
  root: string,
  postgres: Postgres,
  trials: number,
): Promise<Record<string, number>> {
  const doors: Door[] = [
    {
      name: 'sign_in',
      path: '/sessions',
      body: (email) => ({ email, password: 'not the password' }),
    },
    { name: 'sign_up', path: '/sign-ups', body: (email) => ({ email }) },
    { name: 'reset', path: '/password-resets', body: (email) => ({ email }) },
    {
      name: 'change',
      path: '/me/email',
      body: (email) => ({ email }),
      as: async () => (await openPerson(postgres, {})).as,
    },
  ]
  const figures: Record<string, number> = {}
  for (const door of doors)
    figures[`z_${door.name}`] = await tryDoor(run, root, postgres, door, trials)
  return figures
}

async function tryDoor(
  run: ProofRun,
  root: string,
  postgres: Postgres,
  door: Door,
  trials: number,
): Promise<number> {
  await using client = openConsoleClient(root)
  const known = await openPeople(postgres, trials)
  const times = { known: [] as number[], unknown: [] as number[] }
  const shapes = new Map<string, string>()
  for (const email of known) {
    const pair: [keyof typeof times, string][] = [
      ['known', email],
      ['unknown', `${randomUUID()}@example.com`],
    ]
    // In random order, so that whatever the first of a pair costs is shared.
    if (run.random.between(0, 1) === 1) pair.reverse()
    for (const [kind, address] of pair) {
      const as = await door.as?.()
      const body = door.body(address)
      const headers = { 'x-forwarded-for': newAddress() }
      const answer = await client.send('POST', door.path, { body, headers, ...(as && { as }) })
      times[kind].push(answer.ms)
      shapes.set(shapeOf(answer), kind)
    }
  }
  if (shapes.size !== 1)
    run.fail(`${door.name}: answers differ: ${[...shapes.keys()].join(' and ')}`)
  const z = rankSumZ(times.known, times.unknown)
  if (Math.abs(z) > Z_MAX) run.fail(`${door.name}: the times differ, z = ${z.toFixed(1)}`)
  return Math.round(z * 10) / 10
}

/** Everything of an answer but what is new each time. */
function shapeOf({ status, headers, text }: ConsoleAnswer): string {
  const { date: _, 'x-request-id': __, 'x-server-request-id': ___, ...rest } = headers
  return JSON.stringify([status, rest, text])
}

/** The rank-sum test of Mann and Whitney: no outlier of a busy machine decides it. */
function rankSumZ(one: readonly number[], other: readonly number[]): number {
  const all = [
    ...one.map((value) => ({ value, first: true })),
    ...other.map((value) => ({ value, first: false })),
  ].toSorted((a, b) => a.value - b.value)
  const rankSum = all.reduce((sum, { first }, index) => sum + (first ? index + 1 : 0), 0)
  const [n, m] = [one.length, other.length]
  const mean = (n * (n + m + 1)) / 2
  const deviation = Math.sqrt((n * m * (n + m + 1)) / 12)
  return (rankSum - mean) / deviation
}
