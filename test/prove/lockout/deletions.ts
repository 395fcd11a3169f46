import { ask } from '../../harness/processes/console.ts'
import type { Operation } from './operation.ts'
import { signedIn, type Visit } from './person.ts'
import { asOperator, asOwner, type Scene } from './scene.ts'

/** A call as somebody who gets in; nothing if they do not. */
function deleting(visit: (scene: Scene) => Visit, path: (scene: Scene) => string) {
  return async (scene: Scene): Promise<void> => {
    const as = await signedIn(visit(scene))
    if (as !== null) scene.watch(await ask(scene.bench.root, 'DELETE', path(scene), { as }))
  }
}

const byOwner = (scene: Scene) => asOwner(scene, scene.owner)
const byOperator = (scene: Scene) => asOperator(scene, scene.operator)
const byOther = (scene: Scene) => asOperator(scene, scene.otherOperator)

/** People and organizations that are deleted, by whoever may. */
export const DELETIONS: readonly Operation[] = [
  {
    name: 'the owner deletes their account',
    covers: ['DELETE /me'],
    run: deleting(byOwner, () => '/me'),
  },
  {
    name: 'the operator deletes their account',
    covers: ['DELETE /me'],
    run: deleting(byOperator, () => '/me'),
  },
  {
    name: 'delete the owner',
    covers: ['DELETE /operator/accounts/{account}'],
    run: deleting(byOperator, ({ owner }) => `/operator/accounts/${owner.accountId}`),
  },
  {
    name: 'delete the operator',
    covers: ['DELETE /operator/accounts/{account}'],
    run: deleting(byOther, ({ operator }) => `/operator/accounts/${operator.accountId}`),
  },
  {
    name: 'delete the other operator',
    covers: ['DELETE /operator/accounts/{account}'],
    run: deleting(byOperator, ({ otherOperator }) => {
      return `/operator/accounts/${otherOperator.accountId}`
    }),
  },
  {
    name: 'the owner deletes the organization',
    covers: ['DELETE /organizations/{organization}'],
    run: deleting(byOwner, ({ path }) => path),
  },
  {
    name: 'the operator deletes the organization',
    covers: ['DELETE /operator/organizations/{organization}'],
    run: deleting(byOperator, ({ organizationId: id }) => `/operator/organizations/${id}`),
  },
  {
    name: 'headrace account delete',
    needsRescue: true,
    covers: ['account delete'],
    async run({ bench, owner, operator }) {
      for (const { accountId } of [owner, operator])
        await bench.command('account', 'delete', accountId, '--yes')
    },
  },
  {
    name: 'headrace organization delete',
    covers: ['organization delete'],
    async run({ bench, organizationId }) {
      await bench.command('organization', 'delete', organizationId, '--yes')
    },
  },
]
