import type { Config } from '../../config/load.ts'
import { openPaymentProvider } from '../../start/payments/open-provider.ts'
import { invoiceRules } from '../../start/payments/invoice-rules.ts'
import {
  inspectPostgres,
  type PaymentFigures,
  type Uninvoiced,
} from '../../store/postgres/inspect.ts'
import { smallestCharge } from '../../tenancy/money/smallest-charge.ts'
import {
  failed,
  notChecked,
  ok,
  reasonOf,
  resultOf,
  runChecks,
  skipChecks,
  warning,
  type Check,
  type Finding,
  type Result,
  type Time,
} from './run-checks.ts'

const PLACE = { group: 'payments' } as const
const CLOCK_MS_MAX = 60_000
const POLL_MS_MAX = 3_600_000
const LOCAL = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

type PaymentProvider = NonNullable<ReturnType<typeof openPaymentProvider>>
type AccountFacts = Awaited<ReturnType<PaymentProvider['readAccount']>>

type Subject = {
  readonly config: Config
  readonly figures: PaymentFigures
  readonly uninvoiced: Uninvoiced
  readonly provider: PaymentProvider
  /** Asked once. */
  readonly account: Promise<AccountFacts>
  readonly timeoutMs: number
}

/** Nothing without payments, and one line where the provider's key is not. */
export async function checkPayments(config: Config, time: Time): Promise<Result[]> {
  if (config.payments === undefined) return []
  if (config.stripe_key === undefined || config.stripe_webhook_secrets.length === 0) {
    const hint = 'Run it where the console runs: only it has the key of the payment provider.'
    return [resultOf(PLACE, 'key', notChecked('not set here', hint))]
  }
  const provider = openPaymentProvider(config)!
  try {
    using inspection = await inspectPostgres(config.database_url, time.connectMs)
    const figures = await inspection.readPayments()
    const uninvoiced = await inspection.readUninvoiced({
      plans: invoiceRules(config)?.postpaidPlans ?? [],
      least: smallestCharge(config.currency) ?? Infinity,
    })
    const account = ask(provider)
    const subject = { config, figures, uninvoiced, provider, account, timeoutMs: time.connectMs }
    return await runChecks(PLACE, subject, CHECKS, time)
  } catch (error) {
    return skipChecks(PLACE, CHECKS, `PostgreSQL: ${reasonOf(error)}`)
  }
}

/** It may be rejected before the first check waits for it. */
function ask(provider: PaymentProvider): Promise<AccountFacts> {
  const asked = provider.readAccount()
  asked.catch(() => {})
  return asked
}

function ofAccount(
  name: string,
  judge: (account: AccountFacts, subject: Subject) => Finding,
): Check<Subject> {
  return {
    name,
    async run(subject) {
      const account = await subject.account.catch(() => undefined)
      // The first check says why.
      if (account === undefined) return notChecked('the provider did not answer')
      return judge(account, subject)
    },
  }
}

const CHECKS: readonly Check<Subject>[] = [
  { name: 'key', run: ({ account }) => account.then(judgeKey, judgeRefusal) },
  ofAccount('account', judgeAccount),
  ofAccount('charges', ({ chargesEnabled }) =>
    chargesEnabled
      ? ok('enabled')
      : failed('disabled', "Complete the account in the provider's dashboard."),
  ),
  ofAccount('currency', ({ currency }, { config }) =>
    currency === config.currency
      ? ok(currency)
      : warning(
          `settles in ${currency}, the ledger is in ${config.currency}`,
          'Fees are shown and not posted. Settle in the currency of the ledger if you can.',
        ),
  ),
  ofAccount('clock', ({ clockAheadMs }) => {
    const found = `${(Math.abs(clockAheadMs) / 1000).toFixed(0)} s apart`
    return Math.abs(clockAheadMs) <= CLOCK_MS_MAX
      ? ok(found)
      : failed(found, 'Synchronise the clock (NTP): webhooks are refused as too old.')
  }),
  { name: 'tax', run: checkTax },
  { name: 'webhook address', run: checkAddress },
  { name: 'last webhook', run: ({ figures }) => judgeWebhooks(figures) },
  { name: 'last poll', run: ({ figures }) => judgePoll(figures) },
  { name: 'books', run: ({ figures, config }) => judgeBooks(figures, config.currency) },
  {
    name: 'attention',
    run: ({ figures: { attention } }) =>
      attention === 0
        ? ok('none')
        : warning(`${attention} open`, 'Decide them: docs/operating/payments.md says how.'),
  },
  {
    name: 'first invoices',
    run: ({ uninvoiced, config }) => judgeUninvoiced(uninvoiced, config.currency),
  },
]

function judgeKey({ live, restricted }: AccountFacts): Finding {
  if (restricted) return ok('valid, restricted')
  const found = `valid, with all rights of the ${live ? 'live' : 'test'} account`
  return warning(found, 'Use a restricted key (rk_) with the rights in payments.md.')
}

function judgeRefusal(error: unknown): Finding {
  const failure = error instanceof Error && 'failure' in error ? error.failure : undefined
  return failure === 'denied'
    ? failed('refused by the provider', 'Set HEADRACE_STRIPE_KEY to a key with the needed rights.')
    : failed('the provider did not answer', 'Check the network from here to it.')
}

function judgeAccount({ ref, live }: AccountFacts, { figures }: Subject): Finding {
  const found = `${ref} (${live ? 'live' : 'test'})`
  if (figures.account === null) return ok(`${found}, not used yet`)
  if (figures.account === ref && figures.live === live) return ok(found)
  const kept = `${figures.account} (${figures.live === true ? 'live' : 'test'})`
  return failed(`${found}, the ledger has ${kept}`, 'Use the key of that account and mode.')
}

/** Without it no page opens and no invoice is issued: the provider refuses to add tax. */
async function checkTax({ config, provider }: Subject): Promise<Finding> {
  if (config.payments?.tax !== 'provider') return ok('none is added')
  const isActive = await provider.isTaxActive().catch(() => undefined)
  if (isActive === undefined)
    return notChecked('the provider did not say', 'Let the key read the settings of tax.')
  return isActive
    ? ok('active')
    : warning('not set up at the provider', 'Complete the settings of tax in its dashboard.')
}

/** An unsigned delivery is refused with 400 by us, and by nothing that stands in front of us. */
async function checkAddress({ config, timeoutMs }: Subject): Promise<Finding> {
  const url = `${config.console.public_url.replace(/\/$/, '')}/hooks/stripe`
  const { protocol, hostname } = new URL(url)
  if (protocol !== 'https:' && !LOCAL.test(hostname))
    return failed(url, 'Set console.public_url to an https address: providers call no other.')
  const response = await fetch(url, {
    method: 'POST',
    body: '{}',
    redirect: 'manual',
    signal: AbortSignal.timeout(Math.ceil(timeoutMs)),
  }).catch(() => undefined)
  const hint = 'Let the proxy pass POST to it unchanged, without a redirect or a sign-in.'
  if (response === undefined) return failed(`${url} does not answer`, hint)
  return response.status === 400 ? ok(url) : failed(`${url} answers ${response.status}`, hint)
}

/** A poll now and then is faster than a webhook that is on its way. */
const WITHOUT_WEBHOOK_SHARE = 0.2
const WITHOUT_WEBHOOK_MAX = 5

function judgeWebhooks({ webhookAt, heard, heardByPoll }: PaymentFigures): Finding {
  const found = webhookAt === null ? 'never' : webhookAt.toISOString()
  if (heardByPoll <= WITHOUT_WEBHOOK_MAX || heardByPoll <= heard * WITHOUT_WEBHOOK_SHARE)
    return ok(found)
  return warning(
    `${found}; ${heardByPoll} events of the last day came without one`,
    "Look at the deliveries in the provider's dashboard.",
  )
}

function judgePoll({ polledAt }: PaymentFigures): Finding {
  if (polledAt === null) return warning('never', 'Start a console process.')
  const found = polledAt.toISOString()
  return Date.now() - polledAt.getTime() <= POLL_MS_MAX
    ? ok(found)
    : failed(found, 'Read the log of the consoles: the job poll-events fails or does not run.')
}

/** A day is compared three days after it began, and then some time may pass. */
const COMPARED_DAYS_MAX = 4
const MICRO = 1_000_000

function judgeBooks(
  { firstDaysAgo, comparedDaysAgo, difference }: PaymentFigures,
  currency: string,
): Finding {
  const daysAgo = comparedDaysAgo ?? firstDaysAgo
  const found =
    comparedDaysAgo === null ? 'no day compared yet' : `until ${comparedDaysAgo} days ago`
  if (difference > 0)
    return failed(
      `${found}; they differ by ${(difference / MICRO).toFixed(2)} ${currency}`,
      'The ledger page of the console lists the days and what to do.',
    )
  if (daysAgo === null || daysAgo <= COMPARED_DAYS_MAX) return ok(found)
  return failed(found, 'Read the log of the consoles: the job compare-books fails or does not run.')
}

/** What somebody owed before there were payments may have been billed by other means. */
function judgeUninvoiced({ organizations, owed }: Uninvoiced, currency: string): Finding {
  if (organizations === 0) return ok('none that ask for old debts')
  const who = `${organizations} postpaid organization${organizations === 1 ? ' owes' : 's owe'}`
  return warning(
    `${who} ${(owed / MICRO).toFixed(2)} ${currency} from before this month`,
    'Their first invoices ask for all of it. Grant what was billed by other means before.',
  )
}
