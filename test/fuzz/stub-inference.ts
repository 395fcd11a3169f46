import { TEMPLATE_COST_DEFAULT } from '../../src/contract/prompt-bound.ts'
import { createLoneSharing } from '../harness/engines/lone-process.ts'
import { keepLines } from '../harness/lines.ts'
import type { Engine } from '../../src/engines/adapters/engine.ts'
import { keepText } from '../../src/engines/adapters/neutralise.ts'
import { createFleet } from '../../src/engines/fleet/fleet.ts'
import { createBodyBudget } from '../../src/http/body-budget.ts'
import { createCallIds } from '../../src/inference/call-ids.ts'
import type { ServedModel } from '../../src/inference/catalog.ts'
import type { InferenceDeps } from '../../src/inference/chat-completion.ts'
import type { Caller } from '../../src/tenancy/caller.ts'
import type { Identity } from '../../src/tenancy/identity.ts'
import { readCredential } from '../../src/tenancy/credential.ts'
import { checkStanding } from '../../src/tenancy/standing.ts'
import { MODEL } from '../prove/malformed/requests.ts'

export const API_ROOT = '/compat/v1'
/** Any key with a valid checksum is accepted, such as this one, which is in the saved corpus. */
export const KEY = 'hr_sk_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg0Pakj5'

const BODY_BYTES_MAX = 4_096
const LIMIT_MS = 10_000
const AMPLE = { limit: 1_000, remaining: 1_000, resetMs: 0 }
const COUNTS = { promptTokens: 3, cachedTokens: 0, completionTokens: 2, reasoningTokens: 0 }

const served: ServedModel = {
  model: {
    id: MODEL,
    object: 'model',
    created: 0,
    owned_by: 'fuzz',
    shutdown_date: null,
    context_length: 4_096,
    max_output_tokens: 16,
  },
  reasoningHistory: 'optional',
  stop: 'ignored',
  timeLimits: { firstTokenMs: LIMIT_MS, idleMs: LIMIT_MS, totalMs: LIMIT_MS },
  neutralise: keepText,
  templateCost: () => TEMPLATE_COST_DEFAULT,
  abilitiesFor: () => ({ tool_choice: true, json_schema: true, reasoning: true, context: true }),
  fallback: [],
  isUnknown: false,
}

const engine: Engine = {
  name: 'fuzz',
  server: 'fuzz',
  modelName: 'fuzz',
  slots: 100,
  promptCache: 'none',
  declared: {},
  observed: {},
  can: () => true,
  known: {},
  learn() {},
  async generate() {
    async function* pieces() {
      yield { pieces: [{ type: 'text' as const, text: 'Hello é' }], progress: COUNTS }
      const finish = { type: 'finish' as const, reason: 'stop' as const }
      yield { pieces: [finish, { type: 'usage' as const, usage: COUNTS }], progress: COUNTS }
    }
    return pieces()
  },
  countPrompt: async () => COUNTS.promptTokens,
  readTokens: async () => undefined,
  tokenize: async () => [],
  countSlots: async () => 100,
  readLoad: async () => ({ running: 0, waiting: 0 }),
  close() {},
}

const caller: Caller = {
  organizationId: 'o',
  projectId: 'p',
  accountId: null,
  credentialKind: 'api_key',
  credentialId: 'k',
  retention: 'zero',
  terms: null,
  plan: 'free',
  models: 'all',
  keyModels: null,
  ignoredParameters: [],
  limits: {
    requestsPerMinute: 1,
    requestsPerDay: 1,
    tokensPerMinute: 1,
    tokensPerDay: 1,
  },
  concurrency: { organization: null, key: null, models: new Map() },
  weight: 1,
  priority: 'standard',
  funds: { billing: 'none', granted: 0, spent: 0, spendingLimit: null, projectSpent: 0 },
  keyLimits: null,
  prices: new Map(),
  version: 1,
}

/** The data plane without its stores and engines: all callers are admitted. */
export async function stubInference() {
  const realm = { prefix: 'hr', issuer: 'hr', audience: API_ROOT }
  const identity = {
    credential: { kind: 'api_key', id: 'k' },
    project: { id: 'p' },
    organization: { id: 'o', retention: 'zero', terms: null },
    account: null,
  } as Identity
  const sharing = createLoneSharing(engine.slots)
  const options = { log: keepLines().log, queueMs: 1_000, sharing }
  const fleet = createFleet(new Map([[MODEL, [engine]]]), options)
  await fleet.start()
  const rules = { plans: new Map(), keepsContent: false }
  const capacities = {
    requestsPerMinute: AMPLE,
    requestsPerDay: AMPLE,
    tokensPerMinute: AMPLE,
    tokensPerDay: AMPLE,
  }
  return {
    accounts: {
      read: (token) => readCredential(token, realm, [], Date.now()),
      find: async () => ({ identity, fresh: true }),
      check: (found) => (found === undefined ? checkStanding(found, rules, 0) : caller),
      restoreVersion() {},
      findNewerVersion: async () => undefined,
      retentionHeader: 'x-retention',
      keepsContent: false,
    },
    limits: { admit: async () => ({ kind: 'admitted', capacities, virtualTime: 0, running: 1 }) },
    catalog: new Map([[MODEL, served]]),
    fleet,
    usageLog: {
      instance: 'fuzz',
      track: () => ({ checkpoint: () => undefined, end: () => undefined }),
      settle: async () => undefined,
      release() {},
    },
    refusals: { note() {} },
    contentLog: undefined,
    callIds: createCallIds([]),
    bodyBytesMax: BODY_BYTES_MAX,
    bodyBudget: createBodyBudget(BODY_BYTES_MAX * 64),
  } satisfies InferenceDeps
}
