// The running service keeps every rule of its interface: parameters, errors, headers and streams.
// engines: llama-server vllm sglang
// covers: src/contract/** src/inference/** src/http/**
import { forEachLimited } from '../../src/lib/for-each-limited.ts'
import { runProof } from '../harness/proof.ts'
import { CAPACITY } from '../api/contract/capacity.ts'
import { CREDENTIALS } from '../api/contract/credentials.ts'
import { ENDPOINTS_AND_BODIES } from '../api/contract/endpoints.ts'
import { ENGINE_FAILURES } from '../api/contract/engine-failures.ts'
import { EVERY_ANSWER } from '../api/contract/every-answer.ts'
import { LENGTHS } from '../api/contract/lengths.ts'
import { MESSAGES } from '../api/contract/messages.ts'
import { PARAMETERS } from '../api/contract/parameters.ts'
import { REPLIES } from '../api/contract/replies.ts'
import type { Check, Rule } from '../api/contract/rule.ts'
import { SERVICE_FAILURES } from '../api/contract/service-failures.ts'
import { startContractApi, type ContractApi } from '../api/contract/start.ts'
import { STREAMS } from '../api/contract/streams.ts'
import { TOOLS_AND_FORMATS } from '../api/contract/tools.ts'

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
  ...ENGINE_FAILURES,
  ...SERVICE_FAILURES,
]

async function checkInTime(check: Check, api: ContractApi): Promise<void> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('took too long')), RULE_LIMIT_MS)
  await Promise.race([check(api), late.promise]).finally(() => clearTimeout(timer))
}

/** Two rules of one id would hide each other in a report. */
function requireDistinct(rules: readonly Rule[]): void {
  const ids = rules.map(({ id }) => id)
  const repeated = ids.filter((id, index) => ids.indexOf(id) !== index)
  if (repeated.length > 0) throw new Error(`rules of the same id: ${repeated.join(', ')}`)
}

await runProof(
  'contract',
  async (run) => {
    requireDistinct([...RULES, ...EVERY_ANSWER])
    const chosen = RULES.filter(({ id }) => id.startsWith(run.values['only'] ?? ''))
    const pending: string[] = []
    let held = 0
    await using api = await startContractApi()
    const judge = async (rule: Rule) => {
      if ('pending' in rule) {
        pending.push(`${rule.id} (${rule.pending})`)
        return
      }
      try {
        await checkInTime(rule.check, api)
        held += 1
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        run.fail(`${rule.id}: ${rule.name}: ${reason.replaceAll(/\s+/g, ' ').slice(0, 600)}`)
      }
    }
    await forEachLimited(RULES_AT_ONCE, chosen, judge)
    await forEachLimited(RULES_AT_ONCE, EVERY_ANSWER, judge)
    const rules = chosen.length + EVERY_ANSWER.length
    return { rules, held, pending: `[${pending.join(', ')}]` }
  },
  { only: { type: 'string' } },
)
