// Every documented operation on secrets, domains, factors, roles and rules of SSO, in every order
// of two, leaves an owner and an operator who still get in by a documented way.
// covers: src/platform/** src/store/sign-in/** src/cli/account.ts src/cli/member.ts
import type { Answer } from '../harness/processes/console.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { startBench, type Bench } from './lockout/bench.ts'
import { FACTOR_OPERATIONS } from './lockout/factor-operations.ts'
import { findUnknownDoors } from './lockout/known-doors.ts'
import { DELETIONS } from './lockout/deletions.ts'
import type { Operation } from './lockout/operation.ts'
import { OPERATOR_OPERATIONS } from './lockout/operator-operations.ts'
import { OWNER_OPERATIONS } from './lockout/owner-operations.ts'
import { PROVIDER_OPERATIONS } from './lockout/provider-operations.ts'
import { enterAsOperator, enterAsOwner, type Entry } from './lockout/rescue.ts'
import { closeScene, openScene } from './lockout/scene.ts'

const OPERATIONS = [
  ...FACTOR_OPERATIONS,
  ...OWNER_OPERATIONS,
  ...PROVIDER_OPERATIONS,
  ...OPERATOR_OPERATIONS,
  ...DELETIONS,
]
const LANES = 2
/** The share of scenes in which SSO is set up, and owner and operator have second factors. */
const EQUIPPED = 0.7
const SEALS_ANSWER = 503

type Pair = { readonly first: Operation; readonly second: Operation; readonly equipped: boolean }

type Tally = { pairs: number; alone: number; rescued: number }

/** All pairs, one of them, those with one operation, or a sample that has each operation once. */
function choosePairs({ soak, random, values }: ProofRun): Pair[] {
  const pairOf = (first: Operation, second: Operation) => {
    return { first, second, equipped: random.chance(EQUIPPED) }
  }
  const { only } = values
  if (soak || only !== undefined)
    return OPERATIONS.flatMap((first) => OPERATIONS.map((second) => pairOf(first, second))).filter(
      ({ first: { name }, second: { name: other } }) =>
        only === undefined || [name, other, `${name}, ${other}`].includes(only),
    )
  const mixed = shuffle(OPERATIONS, random)
  return mixed.flatMap((first, at) =>
    at % 2 === 0 ? [pairOf(first, mixed[at + 1] ?? mixed[0]!)] : [],
  )
}

function shuffle<Item>(items: readonly Item[], random: ProofRun['random']): Item[] {
  return items
    .map((item) => ({ item, order: random.between(0, 1_000_000) }))
    .toSorted((one, other) => one.order - other.order)
    .map(({ item }) => item)
}

async function provePair(run: ProofRun, bench: Bench, pair: Pair, tally: Tally): Promise<void> {
  const { first, second, equipped } = pair
  const title = `${equipped ? 'with' : 'without'} factors and SSO: ${first.name}, ${second.name}`
  const breaksSeals = first.breaksSeals === true || second.breaksSeals === true
  const watch = (answer: Answer) => {
    if (answer.status >= 500 && !(breaksSeals && answer.status === SEALS_ANSWER))
      run.fail(`${title}: ${answer.status} ${answer.text}`)
    return answer
  }
  const scene = await openScene(bench, equipped, watch)
  await first.run(scene)
  await second.run(scene)
  const entries = { owner: await enterAsOwner(scene), operator: await enterAsOperator(scene) }
  const mayNeedRescue = first.needsRescue === true || second.needsRescue === true
  for (const [who, entry] of Object.entries(entries)) {
    if (entry === null) run.fail(`${title}: the ${who} is locked out`)
    else if (entry.commands.length === 0) tally.alone += 1
    else {
      tally.rescued += 1
      if (!mayNeedRescue) run.fail(`${title}: the ${who} needed ${show(entry)}`)
    }
  }
  tally.pairs += 1
  console.log(`${title}: owner by ${show(entries.owner)}; operator by ${show(entries.operator)}`)
  await closeScene(scene)
}

function show(entry: Entry | null): string {
  if (entry === null) return 'nothing'
  const ways = entry.ways.join(' or ')
  return entry.commands.length === 0 ? ways : `${ways} after ${entry.commands.join(', ')}`
}

await runProof(
  'lockout',
  async (run) => {
    for (const unknown of findUnknownDoors(OPERATIONS)) run.fail(unknown)
    const waiting = choosePairs(run)
    const tally: Tally = { pairs: 0, alone: 0, rescued: 0 }
    const lanes = Array.from({ length: LANES }, async () => {
      await using bench = await startBench()
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
        await provePair(run, bench, next, tally)
    })
    await Promise.all(lanes)
    return { operations: OPERATIONS.length, ...tally }
  },
  { only: { type: 'string' } },
)
