import { userInfo } from 'node:os'
import { InvalidArgumentError, Option, type Command } from 'commander'
import { parseUtc } from '../lib/parse-utc.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../lib/time.ts'
import { isUuid } from '../store/postgres/page.ts'
import { parseAmount } from '../tenancy/money/amount.ts'

const PAGE_DEFAULT = 100
const PAGE_MAX = 1000

const MS_BY_UNIT: Readonly<Record<string, number>> = {
  s: 1000,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
}

export type JsonOption = { readonly json?: boolean }

export type PageOptions = JsonOption & { readonly limit: number; readonly after?: string }

export function jsonOption(): Option {
  return new Option('--json', 'print JSON')
}

export type ProcessOption = { readonly process: readonly string[] }

export function processOption(): Option {
  return new Option('--process <url>', 'health port of a process; may be repeated')
    .default([], 'those of the configuration and of this machine')
    .argParser((value: string, values: readonly string[]) => [...values, value])
}

/** Long enough for a sentence or an invoice number; no line breaks, for the history table. */
const TEXT = /^[^\p{Cc}]{1,200}$/u

export function textOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text) => {
    if (TEXT.test(text)) return text
    throw new InvalidArgumentError('Must have 1 to 200 characters and no control characters.')
  })
}

export type ByOption = { readonly by?: string }

export function byOption(): Option {
  return textOption('--by <name>', 'name recorded as the author (default: the current system user)')
}

export function authorOf({ by }: ByOption): string {
  return by ?? systemUser()
}

/** In a container the user may have no name. */
function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.()}`
  }
}

export function organizationOption(): Option {
  return new Option('--organization <organization>', 'slug or id').makeOptionMandatory()
}

export type SpendingLimit = { readonly amount: string } | 'none'

export function spendingLimitOption(): Option {
  return new Option(
    '--spending-limit <amount|none>',
    'monthly spending limit (calendar month in UTC), in units of the currency',
  ).argParser(parseLimit)
}

export type CreditLimitOptions = {
  readonly creditLimit?: SpendingLimit
  readonly reason?: string
}

export function creditLimitOption(): Option {
  return new Option(
    '--credit-limit <amount|none>',
    'most that it may owe on a postpaid plan, in units of the currency; requires --reason',
  ).argParser(parseLimit)
}

function parseLimit(text: string): SpendingLimit {
  if (text === 'none') return text
  const amount = parseAmount(text)
  if (amount !== undefined && amount >= 0) return { amount: text }
  throw new InvalidArgumentError('Must be an amount such as 50 or 12.50, or none.')
}

/** Null for the word that removes a setting: commander turns a parsed null into a text. */
export function unless<Value>(value: Value, word: string): Exclude<Value, string> | null {
  return value === word ? null : (value as Exclude<Value, string>)
}

export function choice(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).choices(choices)
}

/** Adds the options that every list command has. */
export function withPage(command: Command): Command {
  return command
    .addOption(
      new Option('--limit <count>', `maximum number of entries, up to ${PAGE_MAX}`)
        .default(PAGE_DEFAULT)
        .argParser((text) => parseCount(text, 1, PAGE_MAX)),
    )
    .addOption(
      new Option(
        '--after <id>',
        'start after this id (the last id of the previous page)',
      ).argParser(parseId),
    )
    .addOption(jsonOption())
}

export function pageOf(options: PageOptions): { limit: number; after?: string } {
  return options.after === undefined
    ? { limit: options.limit }
    : { limit: options.limit, after: options.after }
}

export function parseCount(text: string, least: number, most: number): number {
  const count = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (count >= least && count <= most) return count
  throw new InvalidArgumentError(`Must be a whole number from ${least} to ${most}.`)
}

function parseId(text: string): string {
  if (isUuid(text)) return text
  throw new InvalidArgumentError('Must be an id as shown by the list commands.')
}

/** A duration from now, or a day or time in UTC that is still to come. */
export function parseFuture(text: string): Date {
  const timeMs = parseUtc(text) ?? Date.now() + parseDurationMs(text, FUTURE)
  if (timeMs > Date.now()) return new Date(timeMs)
  throw new InvalidArgumentError('Must be in the future.')
}

const DURATION = 'Must be a number and a unit: 90s, 15m, 12h or 30d.'
const FUTURE = 'Must be a duration (90s, 15m, 12h, 30d) or a UTC time (2027-01-01T08:00Z).'

/** `90s`, `15m`, `12h` or `30d`, in milliseconds. */
export function parseDurationMs(text: string, expected: string = DURATION): number {
  const unit = MS_BY_UNIT[text.slice(-1)]
  const count = /^\d{1,6}$/.test(text.slice(0, -1)) ? Number(text.slice(0, -1)) : 0
  if (unit === undefined || count === 0) {
    throw new InvalidArgumentError(expected)
  }
  return count * unit
}
