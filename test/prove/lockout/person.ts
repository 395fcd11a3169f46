import {
  ask,
  newAddress,
  PUBLIC_URL,
  type Answer,
  type Headers,
} from '../../harness/processes/console.ts'
import { appCode } from '../../harness/clients/authenticator-app.ts'
import { waitUntil } from '../../harness/figures/measure.ts'
import { createPasskey, type SoftPasskey } from '../../harness/clients/passkey.ts'
import { browserOf, STRANGER, tokenIn } from '../../harness/clients/sign-in.ts'
import type { Bench } from './bench.ts'

/** An authenticator app. A code of a step is accepted once, and none of an earlier step. */
export type App = { readonly secret: string; lastStep: number }

/** Somebody with what they know and have; losing a thing takes it away here, not at the console. */
export type Person = {
  readonly name: string
  readonly accountId: string
  email: string
  /** Null if it was forgotten. */
  password: string | null
  app: App | null
  recoveryCodes: string[]
  passkey: SoftPasskey | null
  /** The browser that is signed in, perhaps no longer. */
  as: Headers
}

/** Whether a session is enough for what the person is to do. */
export type Judge = (as: Headers) => Promise<Answer>

export type Visit = {
  readonly bench: Bench
  readonly person: Person
  readonly judge: Judge
  /** Told of every answer, so that none is a fault of the console. */
  readonly watch: (answer: Answer) => Answer
}

const STEP_MS = 30_000

const stepNow = () => Math.floor(Date.now() / STEP_MS)

/**
 * A code that the console has not seen, or undefined while there is none. It accepts the one before
 * too, but not if a slow request takes that over the end of a step.
 */
function freshCode(app: App): string | undefined {
  const now = stepNow()
  const ahead = [0, 1].find((each) => now + each > app.lastStep)
  if (ahead === undefined) return undefined
  app.lastStep = now + ahead
  return appCode(app.secret, ahead)
}

const hasFreshCode = (app: App | null) => app === null || app.lastStep <= stepNow()

export async function post(
  { bench, watch }: Pick<Visit, 'bench' | 'watch'>,
  path: string,
  as: Headers = STRANGER,
  body: object = {},
): Promise<Answer> {
  return watch(await ask(bench.root, 'POST', path, { as, body, from: newAddress() }))
}

/** Sets up an authenticator app, which the person has from then on. */
export async function addApp(visit: Visit, as: Headers): Promise<Answer> {
  const begun = await post(visit, '/me/totp', as)
  if (begun.status !== 201) return begun
  const app: App = { secret: String(begun.body['secret']), lastStep: 0 }
  const confirmed = await post(visit, '/me/totp/confirm', as, { code: freshCode(app) })
  if (confirmed.status !== 200) return confirmed
  visit.person.app = app
  visit.person.recoveryCodes = confirmed.body['recovery_codes'] as string[]
  visit.person.as = browserOf(confirmed)
  return confirmed
}

export async function addPasskey(visit: Visit, as: Headers): Promise<Answer> {
  const options = await post(visit, '/me/passkeys/options', as)
  if (options.status !== 200) return options
  const passkey = createPasskey(PUBLIC_URL)
  const credential = passkey.register(options.body as never)
  const added = await post(visit, '/me/passkeys', as, { name: 'Phone', credential })
  if (added.status !== 201) return added
  visit.person.passkey = passkey
  visit.person.as = browserOf(added)
  return added
}

/** Gives the code of the app, or a recovery code, where a sign-in asks for it. */
export async function completeSignIn(visit: Visit, opened: Headers): Promise<Headers | null> {
  const { person } = visit
  const read = await ask(visit.bench.root, 'GET', '/me/passkeys', { as: opened })
  if (read.status === 200) return opened
  if (person.app !== null && person.recoveryCodes.length === 0)
    await waitUntil('the next code', () => hasFreshCode(person.app), 2 * STEP_MS)
  const code = person.app === null ? undefined : freshCode(person.app)
  const given = code === undefined ? { recovery_code: person.recoveryCodes.pop() } : { code }
  if (Object.values(given)[0] !== undefined) {
    const answer = await post(visit, '/sessions/second-factor', opened, given)
    return answer.status === 200 ? browserOf(answer) : null
  }
  const added = await addApp(visit, opened)
  return added.status === 200 ? person.as : null
}

async function withPasskey(visit: Visit): Promise<Headers | null> {
  const { person } = visit
  if (person.passkey === null) return null
  const options = await post(visit, '/sessions/passkey/options')
  const credential = person.passkey.answer(options.body as never)
  const answer = await post(visit, '/sessions/passkey', STRANGER, { credential })
  return answer.status === 201 ? browserOf(answer) : null
}

async function withPassword(visit: Visit): Promise<Headers | null> {
  const { email, password } = visit.person
  if (password === null) return null
  const answer = await post(visit, '/sessions', STRANGER, { email, password })
  return answer.status === 201 ? completeSignIn(visit, browserOf(answer)) : null
}

/** Whoever forgot the password sets a new one by email. */
async function withNewPassword(visit: Visit): Promise<Headers | null> {
  const { person } = visit
  if (person.password !== null) return null
  return (await resetPassword(visit)).status === 200 ? withPassword(visit) : null
}

/** Sets a new password by a link that was sent. */
export async function resetPassword(visit: Visit): Promise<Answer> {
  const { bench, person } = visit
  const asked = await post(visit, '/password-resets', STRANGER, { email: person.email })
  if (asked.status !== 202) return asked
  const message = await bench.mail.take(person.email, 'Set a new password')
  return setPassword(visit, tokenIn(message.text))
}

export async function setPassword(visit: Visit, token: string): Promise<Answer> {
  const password = `k7-plum-${crypto.randomUUID().slice(0, 12)}`
  const set = await post(visit, '/password-resets/complete', STRANGER, { token, password })
  if (set.status === 200) visit.person.password = password
  return set
}

export async function withSso(visit: Visit): Promise<Headers | null> {
  const { bench, person } = visit
  const found = await post(visit, '/sso/lookup', STRANGER, { email: person.email })
  for (const { id } of found.body['connections'] as { id: string }[]) {
    const started = await post(visit, `/sso/${id}/start`)
    if (started.status !== 200) continue
    const [cookie = ''] = (started.headers['set-cookie'] ?? '').split(';')
    const location = String(started.body['location'])
    const callback = new URL(await bench.provider.signIn(location, person.email))
    const { origin } = new URL(bench.root)
    const answer = await fetch(`${origin}${callback.pathname}${callback.search}`, {
      redirect: 'manual',
      headers: { cookie },
    })
    if (answer.status >= 500) throw new Error(`the callback answered ${answer.status}`)
    const session = answer.headers
      .getSetCookie()
      .map((each) => each.split(';')[0] ?? '')
      .find((each) => each.startsWith('__Host-headrace_session='))
    if (session === undefined) continue
    const done = await completeSignIn(visit, { cookie: session, origin: PUBLIC_URL })
    if (done !== null) return done
  }
  return null
}

/** Documented ways in, the cheapest first. */
const WAYS: Readonly<Record<string, (visit: Visit) => Promise<Headers | null>>> = {
  passkey: withPasskey,
  password: withPassword,
  new_password: withNewPassword,
  sso: withSso,
}

/** Signs in by the first way that is enough, or by each of them. Returns the ways that were. */
export async function getIn(visit: Visit, each = false): Promise<readonly string[]> {
  const enough: string[] = []
  for (const [name, signIn] of Object.entries(WAYS)) {
    const as = await signIn(visit)
    if (as === null || !(await isEnough(visit, as))) continue
    enough.push(name)
    if (!each) break
  }
  return enough
}

/** A rule that asks for a second factor is met by setting one up. */
async function isEnough(visit: Visit, as: Headers): Promise<boolean> {
  const { person, judge } = visit
  person.as = as
  const answer = await judge(as)
  if (answer.status === 200) return true
  if (answer.body.error.code !== 'second_factor_required' || person.app !== null) return false
  const added = await addApp(visit, as)
  return added.status === 200 && (await judge(person.as)).status === 200
}

/** The browser of somebody who is still signed in, or signs in again; null if nothing helps. */
export async function signedIn(visit: Visit): Promise<Headers | null> {
  const { person, judge } = visit
  if ((await judge(person.as)).status === 200) return person.as
  return (await getIn(visit)).length > 0 ? person.as : null
}
