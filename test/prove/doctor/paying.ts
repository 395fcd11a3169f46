import { once } from 'node:events'
import { randomBytes } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chooseFreePort } from '../../../stack/ports.ts'
import { limitsOf } from '../../harness/environment.ts'
import { waitUntil } from '../../harness/figures/measure.ts'
import { startScriptedProvider } from '../../harness/payments/scripted-provider.ts'
import { addUsage } from '../../harness/seed/billing-rows.ts'
import { DAY_QUERY } from '../../harness/seed/provider-day.ts'
import { agePoll } from '../../harness/seed/poll-state.ts'
import { openAccount, openCaller, openOrganization } from '../../harness/seed/tenants.ts'
import type { Scenario } from './scenario.ts'
import type { System } from './system.ts'

const PORT_FIRST = 25_700
const TIMEOUT_MS = 60_000
const MAIL = { email_from: 'headrace@example.com' }
const ONLY = ['--only', 'payments']
/** More events without a webhook than doctor takes for chance. */
const EVENTS = 6
const AHEAD_MS = 120_000
/** Before the running month, whatever day it is. */
const MONTH_MS = 31 * 86_400_000
const DIFFERING_DAYS_AGO = 3
const DIFFERENCE = 12_500_000

/** The same system with payments: a console that has the key of a scripted provider. */
export type PayingSystem = System & {
  /** Settings of the section `payments` with another provider. */
  readonly paymentsAt: (url: string, more?: object) => object
}

export async function startPaying(system: System): Promise<PayingSystem> {
  await using starting = new AsyncDisposableStack()
  const provider = starting.use(
    await startScriptedProvider({ journal: `${system.environment.file}.journal` }),
  )
  const port = await chooseFreePort(PORT_FIRST)
  const paymentsAt = (api_url: string, more: object = {}) => ({
    payments: { provider: 'stripe', api_url, page_hosts: ['127.0.0.1'], ...more },
  })
  const public_url = `http://127.0.0.1:${port}`
  const file = await system.writeVariant({
    ...paymentsAt(provider.url),
    console: { ...MAIL, port, health_port: 0, public_url, api_health_urls: system.healthUrls },
  })
  const [key, secret] = [makeSecret('rk_test_'), makeSecret('whsec_')]
  const own = {
    HEADRACE_CONFIG: file,
    HEADRACE_STRIPE_KEY: key,
    HEADRACE_STRIPE_WEBHOOK_SECRETS: secret,
  }
  starting.use(await system.environment.startConsole(own))
  const isRead = async () => {
    const { rowCount } = await system.admin.query(
      `select from provider_cursors where name = 'events' and polled_at is not null`,
    )
    return rowCount === 1
  }
  await waitUntil('the events of the provider to be read', isRead, TIMEOUT_MS)
  const running = starting.move()
  return {
    ...system,
    variables: { ...system.variables, ...own },
    secrets: [...system.secrets, key, secret],
    paymentsAt,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

function makeSecret(prefix: string): string {
  return prefix + randomBytes(24).toString('hex')
}

/** Something else at the other end of an address. */
async function answering(listener: RequestListener) {
  const server = createServer(listener)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** A provider that says this of every account, by a clock of its own. */
async function startAccount(account: object, status = 200, aheadMs = 0) {
  return answering((request, response) => {
    const body = request.url === '/v1/balance' ? { livemode: false } : account
    const date = new Date(Date.now() + aheadMs).toUTCString()
    response.writeHead(status, { 'content-type': 'application/json', date })
    response.end(JSON.stringify(status === 200 ? body : { error: { message: 'no' } }))
  })
}

const refusedKey = ({ paymentsAt, writeVariant }: PayingSystem): Scenario => ({
  name: 'a key that the provider refuses',
  args: ONLY,
  async spoil() {
    const refusing = await startAccount({}, 401)
    const file = await writeVariant(paymentsAt(refusing.url))
    return { variables: { HEADRACE_CONFIG: file }, restore: () => refusing.close() }
  },
  exitCode: 1,
  expected: {
    'payments key': ['failed', /refused/, /HEADRACE_STRIPE_KEY/],
    'payments account': ['not_checked', /did not answer/],
  },
})

const strangeAccount = ({ paymentsAt, writeVariant }: PayingSystem): Scenario => ({
  name: 'another account without payments, with a wrong clock, all rights and old debts',
  args: ONLY,
  async spoil({ admin, environment }) {
    const debtor = await openOrganization(environment.postgres.database, 'ample')
    await addUsage(admin, debtor, DIFFERENCE, Date.now() - MONTH_MS)
    const account = {
      id: 'acct_other',
      charges_enabled: false,
      default_currency: 'eur',
      status: 'pending',
    }
    const strange = await startAccount(account, 200, AHEAD_MS)
    const redirecting = await answering((_, response) => {
      response.writeHead(307, { location: '/sign-in' }).end()
    })
    const file = await writeVariant({
      ...paymentsAt(strange.url, { tax: 'provider' }),
      console: { ...MAIL, public_url: redirecting.url },
      plans: { ample: { models: [], billing: 'postpaid', limits: limitsOf() } },
    })
    return {
      variables: { HEADRACE_CONFIG: file, HEADRACE_STRIPE_KEY: makeSecret('sk_test_') },
      restore() {
        strange.close()
        redirecting.close()
      },
    }
  },
  exitCode: 1,
  expected: {
    'payments key': ['warning', /all rights/, /restricted/],
    'payments account': ['failed', /acct_other/, /that account/],
    'payments charges': ['failed', /disabled/, /dashboard/],
    'payments currency': ['warning', /settles in EUR/i, /ledger/],
    'payments tax': ['warning', /not set up/, /dashboard/],
    'payments clock': ['failed', /1[12]\d s apart/, /NTP/],
    'payments webhook address': ['failed', /answers 307/, /redirect/],
    'payments first invoices': ['warning', /1 .* owes 12\.50/, /Grant/],
  },
})

const nothingHeard: Scenario = {
  name: 'webhooks that do not arrive, events that nobody reads, a decision, books that differ',
  args: ONLY,
  async spoil({ admin, environment }) {
    const { database } = environment.postgres
    await agePoll(database)
    await admin.query(
      `insert into provider_events (id, type, about, ref, source)
       select 'evt_' || number, 'invoice.paid', 'payment', 'in_none', 'poll'
       from generate_series(1, $1) as number`,
      [EVENTS],
    )
    const { organizationId } = await openCaller(database, 'ample')
    await admin.query(
      `insert into payments
         (id, organization_id, kind, state, amount, currency, started_by, expires_at)
       values (gen_random_uuid(), $1, 'page', 'attention', 25000000, 'USD', $2, now())`,
      [organizationId, await openAccount(database)],
    )
    await admin.query(DAY_QUERY, [DIFFERING_DAYS_AGO, DIFFERENCE])
    return {}
  },
  exitCode: 1,
  expected: {
    'payments last webhook': ['warning', /without one/, /deliveries/],
    'payments last poll': ['failed', /T/, /poll-events/],
    'payments attention': ['warning', /^1 open/, /Decide/],
    'payments books': ['failed', /differ by 12\.50/, /ledger page/],
  },
}

/** Everything that can be wrong with payments. */
export function payingScenarios(system: PayingSystem): readonly Scenario[] {
  return [refusedKey(system), strangeAccount(system), nothingHeard]
}
