import type { Config } from '../../../src/config/load.ts'
import { createAccount, type NewAccount } from '../../../src/store/tenants/accounts.ts'
import { storeApiKey } from '../../../src/store/tenants/api-keys.ts'
import { addMember } from '../../../src/store/tenants/memberships.ts'
import {
  changeOrganization,
  createOrganization,
  type OrganizationChanges,
} from '../../../src/store/tenants/organizations.ts'
import { findProject } from '../../../src/store/tenants/projects.ts'
import { createApiKey } from '../../../src/tenancy/api-key.ts'
import {
  createSigningKey,
  issuePlaygroundCredential,
  playgroundRealm,
} from '../../../src/tenancy/playground-credential.ts'
import { createClient, type Client } from '../../api/client.ts'
import {
  startScriptedEngine,
  withScripts,
  type ScriptedEngine,
} from '../../harness/fake-engine/scripts.ts'
import { SIGNING_KEY, startService, type Service } from '../../harness/service.ts'
import { watchEveryAnswer, type Watched } from './every-answer.ts'

/** A running service with everything that a rule may need, shared by all rules. */
export type World = {
  readonly service: Service
  readonly engine: ScriptedEngine
  /** Speaks for an organization that no rule can exhaust. */
  readonly client: Client
  readonly watched: Watched
  /** The key of a new organization, which is changed before anyone has used it. */
  readonly openOrganization: (plan: string, changes?: OrganizationChanges) => Promise<string>
  readonly openMember: (member: NewMember) => Promise<Member>
  /** Runs something against another service, whose configuration is changed further. */
  readonly withOther: (
    change: (config: Config) => Config,
    use: (client: Client, service: Service) => Promise<void>,
  ) => Promise<void>
}

export type NewMember = {
  readonly plan?: string
  readonly account?: Partial<NewAccount>
  /** Left out, the account belongs to the organization. */
  readonly joined?: boolean
}

export type Member = {
  readonly organizationId: string
  readonly accountId: string
  readonly apiKey: string
  readonly playground: string
}

/** A model with a context that a few words fill, so that its bounds can be met exactly. */
export const SHORT_MODEL = 'contract/short'
export const SHORT_CONTEXT = 64
/** Announces nothing that need not be announced. */
export const BARE_MODEL = 'contract/bare'
export const SHUT_MODEL = 'contract/shut'
export const STRICT_MODEL = 'headrace/pebble-strict'

export const BODY_BYTES_MAX = 200_000

const AMPLE = 1_000_000

function limited(limits: Partial<Config['plans'][string]['limits']>): Config['plans'][string] {
  const ample = {
    requests_per_minute: AMPLE,
    requests_per_day: AMPLE,
    tokens_per_minute: AMPLE,
    tokens_per_day: AMPLE,
  }
  const credentials = ['api_key', 'playground'] as const
  const free = { billing: 'none', prices: {} } as const
  return { models: 'all', credentials, limits: { ...ample, ...limits }, ...free }
}

function contractConfig(config: Config, engine: ScriptedEngine): Config {
  const scripted = withScripts(config, engine)
  const [model] = config.models
  if (model === undefined) throw new Error('the demo configuration has no model')
  const { context_length, max_output_tokens, default_parameters, reasoning, ...bare } = model
  const announced = { context_length, max_output_tokens, default_parameters, reasoning }
  const short = { ...bare, ...announced, context_length: SHORT_CONTEXT } as typeof model
  return {
    ...scripted,
    api: { ...config.api, body_bytes_max: BODY_BYTES_MAX },
    models: [
      ...scripted.models,
      { ...short, id: SHORT_MODEL },
      { ...bare, id: BARE_MODEL },
      { ...model, id: SHUT_MODEL, shutdown_date: '2020-01-01' },
      { ...model, id: 'contract/dated', shutdown_date: '2999-12-31', created: 1_700_000_000 },
    ],
    plans: {
      ...config.plans,
      'two-a-minute': limited({ requests_per_minute: 2 }),
      'two-a-day': limited({ requests_per_day: 2 }),
      'tokens-a-minute': limited({ tokens_per_minute: 30 }),
      'tokens-a-day': limited({ tokens_per_day: 30 }),
      thousand: limited({
        requests_per_minute: 1000,
        requests_per_day: 2000,
        tokens_per_minute: 3000,
        tokens_per_day: 4000,
      }),
      'one-model': { ...limited({}), models: [model.id] },
      'keys-only': { ...limited({}), credentials: ['api_key'] },
      'playground-only': { ...limited({}), credentials: ['playground'] },
    },
  }
}

export async function startWorld(): Promise<World & AsyncDisposable> {
  const engine = await startScriptedEngine()
  const service = await startService((config) => contractConfig(config, engine))
  const watched = watchEveryAnswer()
  const { key } = await service.createCaller()
  const client = createClient(service, key, watched.watch)
  return {
    service,
    engine,
    client,
    watched,
    async openOrganization(plan, changes = {}) {
      const caller = await service.createCaller(plan)
      await changeOrganization(service.postgres.database, caller.organizationId, changes)
      return caller.key
    },
    openMember: (member) => openMember(service, member),
    async withOther(change, use) {
      await using other = await startService((config) => change(contractConfig(config, engine)))
      const caller = await other.createCaller()
      await using otherClient = createClient(other, caller.key, watched.watch)
      await use(otherClient, other)
    },
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
      await engine[Symbol.asyncDispose]()
    },
  }
}

const CREDENTIAL_LIFE_MS = 300_000

async function openMember(service: Service, member: NewMember): Promise<Member> {
  const { database } = service.postgres
  const slug = `member-${crypto.randomUUID().slice(0, 8)}`
  const account = { email: `${slug}@example.com`, state: 'active', registered: true } as const
  const { id: accountId } = await createAccount(database, { ...account, ...member.account })
  const { id: organizationId } = await createOrganization(database, {
    slug,
    name: slug,
    plan: member.plan ?? 'ample',
    retention: 'zero',
    ownerAccountId: null,
  })
  const membership = { organizationId, accountId }
  if (member.joined !== false) await addMember(database, membership, 'member')
  const project = await findProject(database, organizationId, 'default')
  const { api } = service.config
  const apiKey = createApiKey(api.key_prefix)
  // Without a membership the store keeps no key of that account; the playground then shows it.
  if (member.joined !== false)
    await storeApiKey(database, apiKey, {
      projectId: project.id,
      createdByAccountId: accountId,
      name: 'contract',
      expiresAt: null,
    })
  const nowMs = Date.now()
  const claims = {
    id: crypto.randomUUID(),
    organizationId,
    projectId: project.id,
    accountId,
    expiresAt: new Date(nowMs + CREDENTIAL_LIFE_MS),
  }
  const signingKey = createSigningKey(SIGNING_KEY)
  const playground = issuePlaygroundCredential(claims, playgroundRealm(api), signingKey, nowMs)
  return { ...membership, apiKey, playground }
}
