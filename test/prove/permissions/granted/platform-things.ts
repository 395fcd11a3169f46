import {
  ask,
  type Headers,
  type Person,
  type TestConsole,
} from '../../../harness/processes/console.ts'
import type { ProofRun } from '../../../harness/proof.ts'
import { givenBy } from './thing.ts'

type Scene = { readonly console_: TestConsole; readonly maker: Person; readonly operator: Person }

/** What an operator has who then loses the role; `support` keeps what support may do. */
const THINGS: Readonly<
  Record<
    string,
    { readonly kept: boolean; readonly make: (scene: Scene) => Promise<() => Promise<number>> }
  >
> = {
  // A new platform role ends the sessions.
  session: { kept: false, make: async (scene) => reading(scene, scene.maker.as) },
  'key that reads': {
    kept: true,
    make: async (scene) => reading(scene, await openKey(scene, 'platform:read')),
  },
  'key that changes': {
    kept: false,
    make: async (scene) => creating(scene, await openKey(scene, 'platform:write')),
  },
  'repeated answer': {
    kept: false,
    async make(scene) {
      const headers = { 'idempotency-key': crypto.randomUUID() }
      const slug = `s-${crypto.randomUUID().slice(0, 13)}`
      return creating(scene, { ...scene.maker.as, ...headers }, slug)
    },
  },
}

const LOSSES = {
  'now support': { platform_role: 'support' },
  'no platform role': { platform_role: null },
  restricted: { state: 'restricted' },
  deleted: null,
} as const

/** Every thing of an operator × every way to lose the role. Returns the number of cases. */
export async function tryPlatformThings(run: ProofRun, console_: TestConsole): Promise<number> {
  let cases = 0
  for (const [thing, { kept, make }] of Object.entries(THINGS))
    for (const [loss, body] of Object.entries(LOSSES)) {
      const role = { platformRole: 'operator' } as const
      const [maker, operator] = [await console_.openPerson(role), await console_.openPerson(role)]
      const use = await make({ console_, maker, operator })
      const before = await use()
      const path = `/operator/accounts/${maker.accountId}`
      const asking = { as: operator.as, ...(body !== null && { body }) }
      const taken = await ask(console_.root, body === null ? 'DELETE' : 'PATCH', path, asking)
      const after = await use()
      const expected = kept && loss === 'now support'
      cases += 1
      if (before >= 300 || !givenBy(taken).gives || after < 300 !== expected)
        run.fail(`operator's ${thing}, ${loss}: ${before}, ${taken.text}, then ${after}`)
    }
  return cases
}

function openKey({ console_, maker }: Scene, scope: string): Promise<Headers> {
  const facts = { createdBy: maker.accountId, organizationId: null, scopes: [scope] }
  return console_.openManagementKey(facts)
}

function reading({ console_ }: Scene, as: Headers): () => Promise<number> {
  return async () => (await ask(console_.root, 'GET', '/operator/accounts', { as })).status
}

function creating({ console_ }: Scene, as: Headers, slug?: string): () => Promise<number> {
  return async () => {
    const body = { slug: slug ?? `s-${crypto.randomUUID().slice(0, 13)}` }
    return (await ask(console_.root, 'POST', '/operator/organizations', { as, body })).status
  }
}
