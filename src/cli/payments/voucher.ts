import { Option, type Command } from 'commander'
import type { Voucher } from '../../contract/payments/voucher.ts'
import {
  VOUCHER_CREDIT_DAYS_MAX,
  VOUCHER_ORGANIZATIONS_MAX,
  VOUCHERS_AT_ONCE_MAX,
} from '../../contract/payments/voucher-bounds.ts'
import { openTreasurer } from '../operator.ts'
import {
  byOption,
  jsonOption,
  pageOf,
  parseCount,
  parseFuture,
  textOption,
  withPage,
  type ByOption,
  type JsonOption,
  type PageOptions,
} from '../options.ts'
import { printTable, type Printable } from '../print.ts'

export function registerVoucher(program: Command): void {
  const voucher = program
    .command('voucher')
    .description('create codes that organizations redeem for balance')
  registerCreate(voucher)
  withPage(
    voucher.command('list').description('list vouchers without their codes, newest first'),
  ).action(async (options: PageOptions) => {
    await using operator = await openTreasurer()
    const { listVouchers } = await import('../../store/ledger/vouchers/vouchers.ts')
    const { viewVoucher } = await import('../../platform/operator/vouchers/view-voucher.ts')
    const rows = await listVouchers(operator.database, { ...pageOf(options), newestFirst: true })
    const { currency } = operator.config
    const columns = ['id', 'state', 'amount', 'redeemed', 'expires_at', 'made_by', 'note']
    const shown = rows.map((row) => view(viewVoucher(row, currency)))
    printTable(columns, shown, options)
  })
  voucher
    .command('revoke <voucher>')
    .description('revoke a voucher: nobody can redeem it any more; what was redeemed stays')
    .addOption(byOption())
    .action(async (id: string, options: ByOption) => {
      await using operator = await openTreasurer()
      const { revokeVoucher } = await import('../../platform/operator/vouchers/revoke-voucher.ts')
      await operator.act(revokeVoucher, { voucher: id }, options)
    })
}

type CreateOptions = JsonOption &
  ByOption & {
    readonly amount: string
    readonly count: number
    readonly organizations: number
    readonly redeemBefore?: Date
    readonly creditDays?: number
    readonly note?: string
  }

function registerCreate(voucher: Command): void {
  voucher
    .command('create')
    .description('create vouchers and print their codes, which are shown only once')
    .requiredOption('--amount <amount>', 'what each organization gets, such as 25')
    .addOption(countOption('--count <count>', 'how many codes', VOUCHERS_AT_ONCE_MAX).default(1))
    .addOption(
      countOption(
        '--organizations <count>',
        'how many organizations may redeem each code',
        VOUCHER_ORGANIZATIONS_MAX,
      ).default(1),
    )
    .addOption(
      new Option(
        '--redeem-before <time>',
        'a duration (90d) or UTC day or time until which they can be redeemed (default: no end)',
      ).argParser(parseFuture),
    )
    .addOption(
      countOption(
        '--credit-days <days>',
        'days after which what is left of the credit is taken back (default: never)',
        VOUCHER_CREDIT_DAYS_MAX,
      ),
    )
    .addOption(textOption('--note <text>', 'for operators; organizations do not see it'))
    .addOption(byOption())
    .addOption(jsonOption())
    .action(create)
}

async function create(options: CreateOptions): Promise<void> {
  await using operator = await openTreasurer()
  const { createVouchers } = await import('../../platform/operator/vouchers/create-vouchers.ts')
  const { amount, count, organizations, redeemBefore, creditDays, note } = options
  const input = {
    amount: { amount },
    count,
    organizations_max: organizations,
    ...(redeemBefore !== undefined && { expires_at: redeemBefore.toISOString() }),
    ...(creditDays !== undefined && { credit_days: creditDays }),
    ...(note !== undefined && { note }),
  }
  const { data } = await operator.act(createVouchers, input, options)
  const shown = data.map(({ code, ...voucher }) => ({ code, ...view(voucher) }))
  printTable(['code', 'id', 'amount', 'currency', 'expires_at'], shown, options)
}

function countOption(flags: string, description: string, most: number): Option {
  return new Option(flags, `${description}, up to ${most}`).argParser((text) =>
    parseCount(text, 1, most),
  )
}

function view({ amount, redeemed, organizations_max: most, ...voucher }: Voucher): Printable {
  const { amount: units, currency } = amount
  return { ...voucher, amount: units, currency, redeemed: `${redeemed} of ${most}` }
}
