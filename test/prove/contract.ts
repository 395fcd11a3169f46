// The running service keeps every rule of its interface: parameters, errors, headers and streams.
import { parseArgs } from 'node:util'
import { CAPACITY } from './contract/capacity.ts'
import { CREDENTIALS } from './contract/credentials.ts'
import { ENDPOINTS_AND_BODIES } from './contract/endpoints.ts'
import { ENGINE_FAULTS } from './contract/engine-faults.ts'
import { EVERY_ANSWER } from './contract/every-answer.ts'
import { LENGTHS } from './contract/lengths.ts'
import { MESSAGES } from './contract/messages.ts'
import { PARAMETERS } from './contract/parameters.ts'
import { REPLIES } from './contract/replies.ts'
import type { Rule } from './contract/rule.ts'
import { SERVICE_FAULTS } from './contract/service-faults.ts'
import { STREAMS } from './contract/streams.ts'
import { TOOLS_AND_FORMATS } from './contract/tools.ts'
import { startWorld, type World } from './contract/world.ts'

/** Rules are independent of each other; a few at once keep the engine busy. */
const RULES_AT_ONCE = 4
const RULE_LIMIT_MS = 20_000

const RULES: readonly Rule[] = [
  ...PARAMETERS,
  ...MESSAGES,
  ...TOOLS_AND_FORMATS,
  ...LENGTHS,
  ...REPLIES,
  ...STREAMS,
  ...CREDENTIALS,
  ...CAPACITY,
  ...ENDPOINTS_AND_BODIES,
  ...ENGINE_FAULTS,
  ...SERVICE_FAULTS,
]

type Tally = { held: number; readonly pending: string[] }

async function judge(rule: Rule, world: World, tally: Tally): Promise<void> {
  if ('pending' in rule) {
    tally.pending.push(`${rule.id} (${rule.pending})`)
    return
  }
  const late = AbortSignal.timeout(RULE_LIMIT_MS)
  try {
    await Promise.race([rule.check(world), failWhen(late)])
    tally.held += 1
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    console.log(`${rule.id}: ${rule.name}: ${reason.replaceAll(/\s+/g, ' ').slice(0, 600)}`)
  }
}

function failWhen(late: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    late.addEventListener('abort', () => reject(new Error('took too long')), { once: true })
  })
}

async function judgeAll(rules: readonly Rule[], world: World, tally: Tally): Promise<void> {
  const waiting = rules.values()
  const judgeNext = async () => {
    for (const rule of waiting) await judge(rule, world, tally)
  }
  await Promise.all(Array.from({ length: RULES_AT_ONCE }, judgeNext))
}

/** Two rules of one id would hide each other in a report. */
function findRepeated(rules: readonly Rule[]): string[] {
  const ids = rules.map(({ id }) => id)
  return ids.filter((id, index) => ids.indexOf(id) !== index)
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { only: { type: 'string' } } })
  const repeated = findRepeated([...RULES, ...EVERY_ANSWER])
  if (repeated.length > 0) throw new Error(`rules of the same id: ${repeated.join(', ')}`)
  const chosen = RULES.filter(({ id }) => id.startsWith(values.only ?? ''))
  const tally: Tally = { held: 0, pending: [] }
  await using world = await startWorld()
  await judgeAll(chosen, world, tally)
  await judgeAll(EVERY_ANSWER, world, tally)
  const rules = chosen.length + EVERY_ANSWER.length
  const { held, pending } = tally
  console.log(`contract: rules=${rules} held=${held} pending=[${pending.join(', ')}]`)
  return held + pending.length === rules ? 0 : 1
}

process.exitCode = await main()
