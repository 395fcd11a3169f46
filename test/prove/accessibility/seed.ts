import { HOUR_MS } from '../../../src/lib/time.ts'
import { insertVouchers, revokeVoucher } from '../../../src/store/ledger/vouchers/vouchers.ts'
import { createVoucherCode } from '../../../src/tenancy/money/voucher-code.ts'
import { openKey, openOrganization } from '../../harness/seed/tenants.ts'
import { DEMO_MODEL } from '../../harness/environment.ts'
import { waitUntil } from '../../harness/figures/measure.ts'
import type { Person } from '../../harness/processes/console.ts'
import type { Places, Visitor } from '../../harness/browser/pages.ts'
import type { Web } from '../../harness/browser/web.ts'

export type Seeded = {
  readonly places: Places
  readonly people: Readonly<Record<Visitor, Person | null>>
}

const POSTED_MS = 30_000

/** One organization with a key that was used, and somebody of each kind. */
export async function seed(web: Web): Promise<Seeded> {
  const { database } = web.environment.postgres
  const { id, projectId } = await openOrganization(database, 'ample')
  const owner = await web.openPerson({ organizationId: id, role: 'owner' })
  await web.openPerson({ organizationId: id, role: 'viewer' })
  const key = await openKey(database, projectId, { accountId: owner.accountId })
  const { slug } = await database
    .selectFrom('organizations')
    .select('slug')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const request = await ask(web, key.text)
  const waiting = await web.openPerson({ state: 'waiting', registered: false })
  await makeVouchers(web, owner.accountId)
  return {
    places: { slug, key: key.id, project: projectId, request, account: owner.accountId },
    people: {
      nobody: null,
      waiting,
      restricted: await web.openPerson({ state: 'restricted' }),
      unregistered: await web.openPerson({ registered: false }),
      owner,
      operator: await web.openPerson({ platformRole: 'operator' }),
    },
  }
}

/** One that can be redeemed, and one that cannot. */
async function makeVouchers({ environment }: Web, maker: string): Promise<void> {
  const { database } = environment.postgres
  const voucher = {
    hash: createVoucherCode().hash,
    amount: 25_000_000,
    organizations_max: 1_000,
    expires_at: new Date(Date.now() + HOUR_MS),
    credit_days: 90,
    note: 'For the participants of the spring fair',
    maker: { accountId: maker },
  }
  const other = { ...voucher, hash: createVoucherCode().hash }
  await database.transaction().execute(async (transaction) => {
    const [id] = await insertVouchers(transaction, [voucher, other])
    await revokeVoucher(transaction, id!)
  })
}

/** A real answer, whose usage is posted before it is looked at. */
async function ask({ apiRoot, environment }: Web, key: string): Promise<string> {
  const response = await fetch(`${apiRoot}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({
      model: DEMO_MODEL,
      max_tokens: 16,
      messages: [{ role: 'user', content: 'Hello' }],
    }),
  })
  await response.text()
  const posted = async () =>
    (await environment.postgres.pool.query('select from usage_records limit 1')).rowCount === 1
  await waitUntil('usage to be posted', posted, POSTED_MS)
  return response.headers.get('x-request-id') ?? ''
}
