import { InvalidArgumentError, Option, type Command } from 'commander'
import { parseUtc } from '../../lib/parse-utc.ts'
import type { RecoveredPayments } from '../../platform/payments/recover/recover-payments.ts'
import { formatAmount } from '../../tenancy/money/amount.ts'
import { openAuditLog } from '../operator.ts'
import { authorOf, byOption, jsonOption, type ByOption, type JsonOption } from '../options.ts'
import { printTable } from '../print.ts'

type RecoverPaymentsOptions = JsonOption &
  ByOption & { readonly since: Date; readonly dryRun?: boolean }

const PAYMENT_COLUMNS = ['payment', 'organization', 'kind', 'net', 'currency', 'state', 'done']
const RETURNED_COLUMNS = ['about', 'ref', 'payment', 'state', 'done']

/** What somebody must look at: the command alone makes nothing of it. */
const LEFT: readonly string[] = ['attention', 'unknown_organization', 'no_statement', 'not_read']

export function registerRecoverPayments(recover: Command): void {
  recover
    .command('payments')
    .description(
      'credit payments that the provider received and that a restore of PostgreSQL has lost; ' +
        'run it where the console runs; safe to repeat',
    )
    .addOption(
      new Option('--since <time>', 'UTC time of the backup or before, such as 2026-05-01T08:00Z')
        .argParser(parsePast)
        .makeOptionMandatory(),
    )
    .option('--dry-run', 'only show what there is to do')
    .addOption(byOption())
    .addOption(jsonOption())
    .action(async (options: RecoverPaymentsOptions) => {
      const { loadConfigFromProcess } = await import('../../config/load.ts')
      const { recoverPayments } = await import('../../start/payments/recover-payments.ts')
      const { since } = options
      const dryRun = options.dryRun === true
      const config = loadConfigFromProcess('console')
      const log = await openAuditLog()
      const recovered = await recoverPayments(config, {
        since,
        dryRun,
        by: authorOf(options),
        log,
      })
      const found = viewOf(recovered, config.currency)
      if (options.json === true)
        console.log(JSON.stringify({ since, dry_run: dryRun, ...found }, null, 2))
      else print(found)
      if (found.left > 0) process.exitCode = 1
    })
}

function parsePast(text: string): Date {
  const ms = parseUtc(text) ?? Number.NaN
  if (ms <= Date.now()) return new Date(ms)
  throw new InvalidArgumentError('Must be a UTC time in the past, such as 2026-05-01T08:00Z.')
}

function viewOf({ payments, returned }: RecoveredPayments, currency: string) {
  const all = [...payments, ...returned]
  return {
    left: all.filter(({ done }) => LEFT.includes(done)).length,
    payments: payments.map(({ id, organizationId, kind, net, state, done }) => ({
      payment: id,
      organization: organizationId,
      kind,
      net: formatAmount(net),
      currency,
      state,
      done,
    })),
    returned: returned.map(({ paymentId: payment, about, ref, state, done }) => ({
      about,
      ref,
      payment,
      state,
      done,
    })),
  }
}

function print({ left, payments, returned }: ReturnType<typeof viewOf>): void {
  if (payments.length + returned.length === 0) {
    console.log('nothing to do')
    return
  }
  if (payments.length > 0) printTable(PAYMENT_COLUMNS, payments, {})
  if (returned.length > 0) printTable(RETURNED_COLUMNS, returned, {})
  if (left > 0) console.error(`${left} left: docs/operating/payments.md says what to do`)
}
