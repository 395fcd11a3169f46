import { ask, type Headers } from '../../harness/processes/console.ts'
import { newSigningKey } from './bench.ts'
import type { Operation } from './operation.ts'
import { signedIn, type Person } from './person.ts'
import { asOperator, type Scene } from './scene.ts'

/** Seals nothing with a key that a process of the service does not accept. */
async function rotateSigningKey({ bench }: Scene): Promise<void> {
  const { signingKey: old } = bench.settings
  const signingKey = newSigningKey()
  await bench.restart({ acceptedKeys: [signingKey] })
  await bench.restart({ signingKey, acceptedKeys: [old] })
  await bench.command('secrets', 'rewrap')
  await bench.restart({ acceptedKeys: [] })
}

function byOperator(
  act: (scene: Scene, as: Headers) => Promise<unknown>,
  who: (scene: Scene) => Person = ({ operator }) => operator,
): Operation['run'] {
  return async (scene) => {
    const as = await signedIn(asOperator(scene, who(scene)))
    if (as !== null) await act(scene, as)
  }
}

const call = async ({ bench, watch }: Scene, method: string, path: string, asked: object) =>
  watch(await ask(bench.root, method, path, asked))

/** Whoever was told that all factors are gone sets up new ones. */
function forgetFactors(...people: readonly Person[]): void {
  for (const person of people)
    Object.assign(person, { app: null, recoveryCodes: [], passkey: null })
}

/** What operators do in the console. */
const IN_THE_CONSOLE: readonly Operation[] = [
  {
    name: 'reset the factors of the owner',
    covers: ['DELETE /operator/accounts/{account}/factors'],
    run: byOperator(async (scene, as) => {
      const path = `/operator/accounts/${scene.owner.accountId}/factors`
      const { status } = await call(scene, 'DELETE', path, { as })
      if (status < 300) forgetFactors(scene.owner)
    }),
  },
  {
    name: 'lift "only SSO" as operator',
    covers: ['DELETE /operator/organizations/{organization}/sso-only'],
    run: byOperator((scene, as) => {
      const path = `/operator/organizations/${scene.organizationId}/sso-only`
      return call(scene, 'DELETE', path, { as })
    }),
  },
  {
    name: 'restrict the owner',
    needsRescue: true,
    covers: ['PATCH /operator/accounts/{account}'],
    run: byOperator((scene, as) => {
      const path = `/operator/accounts/${scene.owner.accountId}`
      return call(scene, 'PATCH', path, { as, body: { state: 'restricted' } })
    }),
  },
  {
    name: 'demote the operator',
    covers: ['PATCH /operator/accounts/{account}'],
    run: byOperator(
      (scene, as) => {
        const path = `/operator/accounts/${scene.operator.accountId}`
        return call(scene, 'PATCH', path, { as, body: { platform_role: null } })
      },
      ({ otherOperator }) => otherOperator,
    ),
  },
  {
    name: 'demote the other operator',
    covers: ['PATCH /operator/accounts/{account}'],
    run: byOperator((scene, as) => {
      const path = `/operator/accounts/${scene.otherOperator.accountId}`
      return call(scene, 'PATCH', path, { as, body: { platform_role: null } })
    }),
  },
]

const within = ({ organizationId }: Scene) => ['--organization', organizationId]

/** What somebody does who has a shell on a machine of the service. */
const IN_THE_SHELL: readonly Operation[] = [
  {
    name: 'headrace account reset-factors',
    covers: ['account reset-factors'],
    async run({ bench, owner, operator }) {
      for (const { accountId } of [owner, operator])
        await bench.command('account', 'reset-factors', accountId)
      forgetFactors(owner, operator)
    },
  },
  {
    name: 'headrace account change --platform-role none',
    needsRescue: true,
    covers: ['account change'],
    async run({ bench, operator, otherOperator }) {
      for (const { accountId } of [operator, otherOperator])
        await bench.command('account', 'change', accountId, '--platform-role', 'none')
    },
  },
  {
    name: 'headrace account change --state restricted',
    needsRescue: true,
    covers: ['account change'],
    async run({ bench, owner, operator }) {
      for (const { accountId } of [owner, operator])
        await bench.command('account', 'change', accountId, '--state', 'restricted')
    },
  },
  {
    name: 'headrace member change --role member',
    needsRescue: true,
    covers: ['member change'],
    async run(scene) {
      const { bench, owner } = scene
      await bench.command('member', 'change', owner.accountId, ...within(scene), '--role', 'member')
    },
  },
  {
    name: 'headrace member remove',
    needsRescue: true,
    covers: ['member remove'],
    async run(scene) {
      await scene.bench.command('member', 'remove', scene.owner.accountId, ...within(scene))
    },
  },
  {
    name: 'headrace member add --role owner',
    covers: ['member add'],
    async run(scene) {
      const { bench, owner } = scene
      await bench.command('member', 'add', owner.accountId, ...within(scene), '--role', 'owner')
    },
  },
  {
    name: 'headrace organization sign-in --no-sso-only',
    covers: ['organization sign-in'],
    async run({ bench, organizationId }) {
      await bench.command('organization', 'sign-in', organizationId, '--no-sso-only')
    },
  },
  {
    name: 'rotate the signing key',
    covers: ['secrets rewrap'],
    run: rotateSigningKey,
  },
  {
    name: 'lose the old signing key',
    needsRescue: true,
    breaksSeals: true,
    covers: [],
    run: ({ bench }) => bench.restart({ signingKey: newSigningKey(), acceptedKeys: [] }),
  },
  {
    name: 'require second factors of all',
    covers: [],
    run: ({ bench }) => bench.restart({ requireSecondFactor: 'all' }),
  },
]

export const OPERATOR_OPERATIONS = [...IN_THE_CONSOLE, ...IN_THE_SHELL]
