// The running service keeps every rule of its interface: parameters, errors, headers and streams.
// engines: llama-server vllm sglang
// covers: src/contract/** src/inference/** src/http/**
import { forEachLimited } from '../../src/lib/for-each-limited.ts'
import { runProof } from '../harness/proof.ts'
import { EVERY_ANSWER } from '../api/contract/every-answer.ts'
import type { Check, Rule } from '../api/contract/rule.ts'
import { RULES, RULES_AT_ONCE } from '../api/contract/rules.ts'
import { startContractApi, type ContractApi } from '../api/contract/start.ts'

const RULE_LIMIT_MS = 20_000

async function checkInTime(check: Check, api: ContractApi): Promise<void> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('took too long')), RULE_LIMIT_MS)
  await Promise.race([check(api), late.promise]).finally(() => clearTimeout(timer))
}

await runProof(
  'contract',
  async (run) => {
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
