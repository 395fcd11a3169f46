import { ask, type Answer, type Headers } from '../../harness/processes/console.ts'
import { tokenIn } from '../../harness/clients/sign-in.ts'
import type { Operation } from './operation.ts'
import { addApp, addPasskey, post, resetPassword, signedIn, type Visit } from './person.ts'
import { asOperator, asOwner, type Scene } from './scene.ts'

/** The owner and the operator both do it, each with their own account. */
function both(act: (visit: Visit, as: Headers) => Promise<Answer | void>): Operation['run'] {
  return async (scene: Scene) => {
    for (const visit of [asOwner(scene, scene.owner), asOperator(scene, scene.operator)]) {
      const as = await signedIn(visit)
      if (as !== null) await act(visit, as)
    }
  }
}

/** Loses something, with nobody at the console. */
function lose(take: (visit: Visit) => void): Operation['run'] {
  return (scene: Scene) => {
    take(asOwner(scene, scene.owner))
    take(asOperator(scene, scene.operator))
    return Promise.resolve()
  }
}

async function remove(visit: Visit, path: string, as: Headers): Promise<Answer> {
  return visit.watch(await ask(visit.bench.root, 'DELETE', path, { as }))
}

async function removePasskeys(visit: Visit, as: Headers): Promise<void> {
  const list = visit.watch(await ask(visit.bench.root, 'GET', '/me/passkeys', { as }))
  for (const { id } of list.status === 200 ? list.body.data : [])
    await remove(visit, `/me/passkeys/${id}`, as)
}

async function changePassword(visit: Visit, as: Headers): Promise<void> {
  const password = `k7-plum-${crypto.randomUUID().slice(0, 12)}`
  const body = { password }
  const set = visit.watch(await ask(visit.bench.root, 'PUT', '/me/password', { as, body }))
  if (set.status === 204) visit.person.password = password
}

/** Moves the account to an address of a domain that no organization has. */
async function moveAddress(visit: Visit, as: Headers): Promise<void> {
  const { bench, person } = visit
  const email = `${crypto.randomUUID()}@elsewhere.example`
  const asked = await post(visit, '/me/email', as, { email })
  if (asked.status !== 202) return
  const token = tokenIn((await bench.mail.take(email)).text)
  const moved = await post(visit, '/email-verifications', undefined, { token })
  if (moved.status === 204) person.email = email
}

/** What people do with their own password, second factors and address, or lose. */
export const FACTOR_OPERATIONS: readonly Operation[] = [
  {
    name: 'add an app',
    covers: ['POST /me/totp', 'POST /me/totp/confirm'],
    run: both(addApp),
  },
  {
    name: 'remove the app',
    covers: ['DELETE /me/totp'],
    run: both(async (visit, as) => {
      const removed = await remove(visit, '/me/totp', as)
      if (removed.status === 204) Object.assign(visit.person, { app: null, recoveryCodes: [] })
    }),
  },
  {
    name: 'make new recovery codes',
    covers: ['POST /me/recovery-codes'],
    run: both(async (visit, as) => {
      const made = await post(visit, '/me/recovery-codes', as)
      if (made.status === 201) visit.person.recoveryCodes = made.body['recovery_codes'] as string[]
    }),
  },
  { name: 'add a passkey', covers: ['POST /me/passkeys'], run: both(addPasskey) },
  {
    name: 'remove every passkey',
    covers: ['DELETE /me/passkeys/{passkey}'],
    run: both(removePasskeys),
  },
  { name: 'change the password', covers: ['PUT /me/password'], run: both(changePassword) },
  {
    name: 'reset the password',
    covers: ['POST /password-resets', 'POST /password-resets/complete'],
    run: both(resetPassword),
  },
  {
    name: 'move to an address elsewhere',
    covers: ['POST /me/email', 'POST /email-verifications'],
    run: both(moveAddress),
  },
  {
    name: 'lose the phone',
    needsRescue: true,
    covers: [],
    run: lose(({ person }) => Object.assign(person, { app: null, passkey: null })),
  },
  {
    name: 'lose the recovery codes',
    covers: [],
    run: lose(({ person }) => (person.recoveryCodes = [])),
  },
  {
    name: 'forget the password',
    covers: [],
    run: lose(({ person }) => (person.password = null)),
  },
]
