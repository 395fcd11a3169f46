import type { Config } from '../../../src/config/load.ts'
import {
  changeOrganization,
  type OrganizationChanges,
} from '../../../src/store/tenants/organizations.ts'
import type { AccountState } from '../../../src/tenancy/identity.ts'
import { createClient, type Answer, type Client, type Sent } from '../client.ts'
import { startApi, type Api } from '../start.ts'
import { limitsOf, type PlanLimits } from '../../harness/environment.ts'
import { withScripts } from '../../harness/fake-engine/scripts.ts'
import { issuePlayground } from '../../harness/clients/playground.ts'
import { startService, type Service } from '../../harness/processes/service.ts'
import { join, openAccount, openKey, openOrganization } from '../../harness/seed/tenants.ts'
import { watchEveryAnswer, type Watched } from './every-answer.ts'
import { requestWith } from './rule.ts'

/** How a rule sends its requests, for an organization that no rule can exhaust. */
type Requests = {
  readonly client: Client
  readonly service: Service
  /** A valid chat completion that is changed: see `requestWith`. */
  readonly chat: (change?: object, sent?: Partial<Sent>) => Promise<Answer>
  readonly get: (path: string, sent?: Partial<Sent>) => Promise<Answer>
}

/** A running service with everything that a rule may need, shared by all rules. */
export type ContractApi = Api &
  Requests & {
    readonly watched: Watched
    /** The key of a new organization, which is changed before its first request. */
    readonly openOrganization: (plan: string, changes?: OrganizationChanges) => Promise<string>
    readonly openMember: (member?: NewMember) => Promise<Member>
    /** Uses another service, whose configuration is changed further. */
    readonly withOther: (
      change: (config: Config) => Config,
      use: (other: Requests) => Promise<void>,
    ) => Promise<void>
  }

export type NewMember = {
  readonly plan?: string
  readonly state?: AccountState
  readonly registered?: boolean
  /** By default, the account belongs to the organization. */
  readonly joined?: boolean
}

type Member = {
  readonly organizationId: string
  readonly accountId: string
  readonly apiKey: string
  readonly playground: string
}

/** A model with a context that a few words fill, so that its bounds can be met exactly. */
export const SHORT_MODEL = 'contract/short'
export const SHORT_CONTEXT = 64
/** Announces nothing optional. */
export const BARE_MODEL = 'contract/bare'
export const SHUT_MODEL = 'contract/shut'
export const STRICT_MODEL = 'headrace/pebble-strict'
export const BODY_BYTES_MAX = 200_000

/** What a model may announce, or not. */
const OPTIONAL = ['context_length', 'max_output_tokens', 'default_parameters', 'reasoning']

type Plan = Config['plans'][string]

function planOf(limits: Partial<PlanLimits>, changes: Partial<Plan> = {}): Plan {
  const open = { models: 'all', credentials: ['api_key', 'playground'] } as const
  const share = { weight: 1, priority: 'standard', ignored_parameters: [] } as const
  return { ...open, limits: limitsOf(limits), ...share, billing: 'none', prices: {}, ...changes }
}

function contractConfig(config: Config): Config {
  const [model] = config.models
  if (model === undefined) throw new Error('the demo configuration has no model')
  const needed = Object.entries(model).filter(([name]) => !OPTIONAL.includes(name))
  const bare = Object.fromEntries(needed) as typeof model
  return {
    ...config,
    api: { ...config.api, body_bytes_max: BODY_BYTES_MAX },
    models: [
      ...config.models,
      { ...model, id: SHORT_MODEL, context_length: SHORT_CONTEXT },
      { ...bare, id: BARE_MODEL },
      { ...model, id: SHUT_MODEL, shutdown_date: '2020-01-01' },
      { ...model, id: 'contract/dated', shutdown_date: '2999-12-31', created: 1_700_000_000 },
    ],
    plans: {
      ...config.plans,
      'two-a-minute': planOf({ requests_per_minute: 2 }),
      'two-a-day': planOf({ requests_per_day: 2 }),
      'tokens-a-minute': planOf({ tokens_per_minute: 30 }),
      'tokens-a-day': planOf({ tokens_per_day: 30 }),
      thousand: planOf({
        requests_per_minute: 1000,
        requests_per_day: 2000,
        tokens_per_minute: 3000,
        tokens_per_day: 4000,
      }),
      'one-model': planOf({}, { models: [model.id] }),
      'keys-only': planOf({}, { credentials: ['api_key'] }),
      'playground-only': planOf({}, { credentials: ['playground'] }),
    },
  }
}

function requestsOf(service: Service, client: Client): Requests {
  const chat: Requests['chat'] = (change = {}, sent) => client.chat(requestWith(change), sent)
  return { service, client, chat, get: (path, sent) => client.get(path, sent) }
}

export async function startContractApi(): Promise<ContractApi> {
  const watched = watchEveryAnswer()
  const api = await startApi(contractConfig, watched.watch)
  const { service, engine } = api
  const { database } = service.postgres
  return {
    ...api,
    ...requestsOf(service, api.client),
    watched,
    async openOrganization(plan, changes = {}) {
      const { organizationId, key } = await service.createCaller(plan)
      await changeOrganization(database, organizationId, changes)
      return key
    },
    async openMember({ plan = 'ample', state, registered, joined = true } = {}) {
      const accountId = await openAccount(database, state, registered)
      const { id: organizationId, projectId } = await openOrganization(database, plan)
      const playground = issuePlayground({ organizationId, projectId, accountId })
      // Without a membership the store keeps no key of the account.
      if (!joined) return { organizationId, accountId, playground, apiKey: '' }
      await join(database, organizationId, accountId)
      const { text: apiKey } = await openKey(database, projectId, { accountId })
      return { organizationId, accountId, playground, apiKey }
    },
    async withOther(change, use) {
      await using other = await startService((config) =>
        change(contractConfig(withScripts(config, engine))),
      )
      const { key } = await other.createCaller()
      await using client = createClient(other, key, watched.watch)
      await use(requestsOf(other, client))
    },
  }
}
