import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { InvalidArgumentError, Option, type Command } from 'commander'
import type { UsageEvent } from '../contract/usage-event.ts'
import type { UsageGroup, UsageSum } from '../store/ledger/sum-usage.ts'
import type { PostedRecord } from '../store/ledger/usage-reports.ts'
import { formatAmount } from '../tenancy/money/amount.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { parseUtc } from '../lib/parse-utc.ts'
import { HOUR_MS } from '../lib/time.ts'
import { openTreasurer, type Operator } from './operator.ts'
import { choice, jsonOption, parseCount, type JsonOption } from './options.ts'
import { printTable, type Printable } from './print.ts'

const GROUPS = ['model', 'project', 'key', 'member', 'day', 'hour'] as const
const GROUPS_DEFAULT = 1000
const GROUPS_MAX = 100_000

export function registerUsage(program: Command): void {
  const usage = program
    .command('usage')
    .description('show and export usage and cost (all times in UTC)')
  registerShow(usage)
  registerExport(usage)
}

type PeriodOptions = { readonly from: number; readonly to: number }

type ShowOptions = JsonOption & PeriodOptions & { readonly by?: UsageGroup; readonly limit: number }

function registerShow(usage: Command): void {
  withPeriod(usage.command('show <organization>'))
    .description('show the usage of an organization; --from and --to must be whole hours')
    .addOption(choice('--by <what>', 'grouping (default: one total)', GROUPS))
    .addOption(
      new Option('--limit <count>', `maximum number of groups, up to ${GROUPS_MAX}`)
        .default(GROUPS_DEFAULT)
        .argParser((text) => parseCount(text, 1, GROUPS_MAX)),
    )
    .addOption(jsonOption())
    .action(async (reference: string, options: ShowOptions) => {
      const period = readPeriod(options)
      if (period.fromMs % HOUR_MS !== 0 || period.toMs % HOUR_MS !== 0)
        throw new OperatorError('--from and --to must be whole hours')
      await using operator = await openTreasurer()
      const { findOrganization } = await import('../store/tenants/organizations.ts')
      const { sumUsage } = await import('../store/ledger/sum-usage.ts')
      const { id } = await findOrganization(operator.database, reference)
      const group = options.by ?? 'total'
      const by = options.by === undefined ? [] : [options.by]
      const sums = await sumUsage(operator.database, id, period, { by, limit: options.limit })
      printTable(
        columnsOf(group),
        sums.map((sum) => view(sum, group, operator)),
        options,
      )
    })
}

type ExportOptions = PeriodOptions & { readonly organization?: string; readonly source: string }

function registerExport(usage: Command): void {
  withPeriod(usage.command('export'))
    .description('print usage records as CloudEvents, one JSON object per line, oldest first')
    .option('--organization <organization>', 'slug or id (default: all organizations)')
    .addOption(
      new Option('--source <uri>', 'source attribute of the events')
        .default('headrace')
        .argParser(parseSource),
    )
    .action(async (options: ExportOptions) => {
      const period = readPeriod(options)
      await using operator = await openTreasurer()
      const { findOrganization } = await import('../store/tenants/organizations.ts')
      const { readRecords } = await import('../store/ledger/usage-reports.ts')
      const { database, config } = operator
      const only =
        options.organization === undefined
          ? undefined
          : (await findOrganization(database, options.organization)).id
      const { toEvent } = await import('../platform/usage/to-event.ts')
      const pages = readRecords(database, period, only)
      const sender = { source: options.source, currency: config.currency }
      await print(pages, (record) => toEvent(record, sender))
    })
}

/** Reads no faster than stdout is consumed. A closed pipe ends the export without an error. */
async function print(
  pages: AsyncIterable<PostedRecord[]>,
  toEvent: (record: PostedRecord) => UsageEvent,
): Promise<void> {
  const lines = async function* () {
    for await (const page of pages)
      yield page.map((record) => `${JSON.stringify(toEvent(record))}\n`).join('')
  }
  try {
    await pipeline(Readable.from(lines(), { highWaterMark: 1 }), process.stdout, { end: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  }
}

function withPeriod(command: Command): Command {
  const time = (flags: string, description: string) =>
    new Option(flags, description).argParser(parseTimeMs).makeOptionMandatory()
  return command
    .addOption(time('--from <time>', 'start, inclusive, such as 2026-05-01 or 2026-05-01T08:00Z'))
    .addOption(time('--to <time>', 'end, exclusive'))
}

function parseTimeMs(text: string): number {
  const ms = parseUtc(text)
  if (ms !== undefined) return ms
  throw new InvalidArgumentError('Must be a day (2026-05-01) or a time (2026-05-01T08:00Z).')
}

function readPeriod({ from, to }: PeriodOptions) {
  if (from >= to) throw new OperatorError('--to must be after --from')
  return { fromMs: from, toMs: to }
}

const URI_REFERENCE = /^[\x21-\x7e]{1,200}$/

function parseSource(text: string): string {
  if (URI_REFERENCE.test(text)) return text
  throw new InvalidArgumentError('Must have 1 to 200 visible characters.')
}

type Shown = UsageGroup | 'total'

const NAMED: readonly Shown[] = ['project', 'key', 'member']

function columnsOf(group: Shown): string[] {
  const named = NAMED.includes(group) ? ['name'] : []
  const sums = ['requests', 'prompt_tokens', 'cached_tokens', 'completion_tokens']
  return [group, ...named, ...sums, 'reasoning_tokens', 'cost', 'currency']
}

function view(sum: UsageSum, group: Shown, { config }: Operator): Printable {
  const [of] = sum.groups
  return {
    [group]: group === 'total' ? 'total' : (of?.value ?? null),
    ...(NAMED.includes(group) ? { name: of?.name ?? null } : {}),
    requests: sum.requests,
    prompt_tokens: sum.promptTokens,
    cached_tokens: sum.cachedTokens,
    completion_tokens: sum.completionTokens,
    reasoning_tokens: sum.reasoningTokens,
    cost: formatAmount(sum.cost),
    currency: config.currency,
  }
}
