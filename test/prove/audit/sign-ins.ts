import { hashPassword } from '../../../src/platform/sign-in/identity/password.ts'
import { DAY_MS } from '../../../src/lib/time.ts'
import type { Postgres } from '../../../src/store/postgres/postgres.ts'
import { setPassword } from '../../../src/store/sign-in/passwords.ts'
import { addMember } from '../../../src/store/tenants/memberships.ts'
import {
  ask,
  openManagementKey,
  openPerson,
  type Headers,
  type Person,
} from '../../harness/processes/console.ts'
import { waitUntil } from '../../harness/figures/measure.ts'
import type { ProofRun } from '../../harness/proof.ts'
import { openPlace, type Place } from '../../harness/routes/things.ts'
import { STRANGER } from '../../harness/clients/sign-in.ts'

const PEOPLE = 6
const SOAK_PEOPLE = 60
const PLACES = 4
const WAIT_MS = 30_000

type Setting = {
  readonly run: ProofRun
  readonly postgres: Postgres
  /** The address of some process. */
  readonly root: () => string
}

type Reader = Person & { readonly place: Place }
type SeenEvent = { readonly action: string; readonly target: { readonly id: string } }

/**
 * Members fail to sign in and sign in; owners, viewers and keys export. Every organization of a
 * member must see both once, no other one anything, and viewers no sign-in; and every export is one
 * event.
 */
export async function proveSignInsAndExports(setting: Setting, password: string) {
  const { run, postgres } = setting
  const places = await Promise.all(
    Array.from({ length: PLACES }, () => openPlace(postgres.database)),
  )
  const open = async (place: Place, role: 'owner' | 'viewer'): Promise<Reader> => {
    const { organizationId } = place
    return { ...(await openPerson(postgres, { organizationId, role })), place }
  }
  const owners = await Promise.all(places.map((place) => open(place, 'owner')))
  const viewers = await Promise.all(places.map((place) => open(place, 'viewer')))
  const phc = await hashPassword(password)
  const count = run.soak ? SOAK_PEOPLE : PEOPLE
  for (let person = 0; person < count; person += 1) {
    const joined = places.filter(() => run.random.chance(0.5))
    const { accountId, email } = await openPerson(postgres, {})
    await setPassword(postgres.database, accountId, phc)
    for (const { organizationId } of joined)
      await addMember(postgres.database, { organizationId, accountId }, 'member')
    await failAndSignIn(setting, { accountId, email, password })
    for (const owner of owners) {
      const expected = joined.includes(owner.place) ? ['session.create', 'session.refuse'] : []
      await compare(setting, owner, accountId, expected)
    }
    for (const viewer of viewers) await compare(setting, viewer, accountId, [])
  }
  let exported = 0
  for (const reader of [...owners, ...viewers]) exported += await proveExports(setting, reader)
  return { sign_ins: count, exports: exported }
}

async function failAndSignIn(
  { run, postgres, root }: Setting,
  person: { readonly accountId: string; readonly email: string; readonly password: string },
): Promise<void> {
  const { accountId, email, password } = person
  const attempt = (given: string) =>
    ask(root(), 'POST', '/sessions', { as: STRANGER, body: { email, password: given } })
  const wrong = await attempt(`not ${password}`)
  const isNoted = async () => {
    const text = `select from audit_events where action = 'session.refuse' and target_id = $1`
    return (await postgres.pool.query(text, [accountId])).rowCount !== 0
  }
  await waitUntil('the refusal in the audit log', isNoted, WAIT_MS)
  const right = await attempt(password)
  if (wrong.status !== 401 || right.status !== 201)
    run.fail(`sign-ins were answered ${wrong.status} and ${right.status}`)
}

async function compare(
  { run, root }: Setting,
  reader: Reader,
  accountId: string,
  expected: readonly string[],
): Promise<void> {
  const path = `/organizations/${reader.place.organizationId}/audit-events?target=${accountId}`
  const { body, status, text } = await ask(root(), 'GET', path, { as: reader.as })
  if (status !== 200) return run.fail(`the audit log answered ${status} ${text}`)
  const seen = (body.data as unknown as SeenEvent[]).map(({ action }) => action)
  if (seen.join() !== expected.join())
    run.fail(`of the sign-ins ${expected.join()} an organization was shown ${seen.join()}`)
}

/** Exports both files as a person and as a key. Returns how many. */
async function proveExports({ run, postgres, root }: Setting, reader: Reader): Promise<number> {
  const { organizationId } = reader.place
  const facts = { createdBy: reader.accountId, organizationId }
  const scopes = ['usage:read', 'audit:read']
  const key = await openManagementKey(postgres, { ...facts, scopes })
  const to = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS).toISOString()
  const from = new Date(Date.parse(to) - run.random.between(1, 7) * DAY_MS).toISOString()
  const asked: string[] = []
  for (const as of [reader.as, key] satisfies Headers[])
    for (const path of ['usage/export', 'audit-events/export']) {
      const url = `${root()}/organizations/${organizationId}/${path}?from=${from}&to=${to}`
      const answer = await fetch(url, { headers: { ...as } })
      await answer.text()
      if (answer.status !== 200) run.fail(`${path} was answered ${answer.status}`)
      asked.push(answer.headers.get('x-request-id') ?? '')
    }
  const { rows } = await postgres.pool.query<{ request_id: string }>(
    `select request_id from audit_events where organization_id = $1 and action like '%.export'
       and request_id = any($2) and changes -> 'from' ->> 1 = $3 and changes -> 'to' ->> 1 = $4`,
    [organizationId, asked, from, to],
  )
  const events = rows.map((row) => row.request_id)
  if (events.toSorted().join() !== asked.toSorted().join())
    run.fail(`${asked.length} exports wrote ${events.length} events with their period`)
  return asked.length
}
