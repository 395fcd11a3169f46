import { stripVTControlCharacters, styleText } from 'node:util'
import { pino } from 'pino'
import type { ErrorTrace, Log, LogFields } from '../../lib/log.ts'

export type Part = 'api' | 'worker' | 'console'

type Line = LogFields & {
  readonly level: number
  readonly time: number
  readonly part: Part
  readonly msg: string
}

type Style = 'dim' | 'bold' | 'green' | 'yellow' | 'red' | 'cyan'
export type Paint = (style: Style, text: string) => string

const WARN = 40
const ERROR = 50
const PART_WIDTH = 'console'.length
const OPERATION_WIDTH = 'POST /chat/completions'.length
/** Of a line that is not of a request; the rest is in the log of `--json`. */
const VALUE_LENGTH_MAX = 120

/** In colour where standard output is a terminal that has some; NO_COLOR switches it off. */
export const paintTerminal: Paint = (style, text) =>
  styleText(style, text, { stream: process.stdout })

/** Logs of all parts: a line for people per event, or JSON. `names` are those of organizations. */
export function createDevLogs(
  level: string,
  json: boolean,
  names: ReadonlyMap<string, string>,
): (part: Part) => Log {
  const options = { level, base: null }
  const printer = {
    write(text: string) {
      const line = JSON.parse(text) as Line
      // The summary at the end of the start has all addresses.
      if (line.msg.startsWith('listening')) return
      process.stdout.write(`${describeLine(line, names, paintTerminal)}\n`)
    },
  }
  const log = json ? pino(options) : pino(options, printer)
  return (part) => log.child({ part })
}

/** A line of the log as people read it. */
export function describeLine(line: Line, names: ReadonlyMap<string, string>, paint: Paint): string {
  const { level, time, part, msg, ...fields } = line
  const head = `${paint('dim', timeOf(time))} ${paint('cyan', part.padEnd(PART_WIDTH))}`
  if (msg === 'request ended') return `${head} ${describeRequest(fields, names, paint)}`
  const more = Object.entries(fields)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => paint('dim', `${name}=${show(value)}`))
  return [head, paintMessage(level, msg, paint), ...more].join(' ')
}

function describeRequest(
  fields: LogFields,
  names: ReadonlyMap<string, string>,
  paint: Paint,
): string {
  const { operation, status = 0, durationMs = 0, organizationId, model, code, ended } = fields
  const { promptTokens, completionTokens } = fields
  const style = status >= 500 || ended !== 'whole' ? 'red' : status >= 400 ? 'yellow' : 'green'
  const organization = organizationId && (names.get(organizationId) ?? organizationId)
  const tokens = `${promptTokens} + ${completionTokens} tokens`
  const parts = [
    (operation ?? 'no such path').padEnd(OPERATION_WIDTH),
    paint(style, `${status}${ended === 'whole' ? '' : ` ${ended}`}`),
    `${durationMs} ms`.padStart(8),
    organization ?? '',
    model ?? '',
    typeof promptTokens === 'number' ? tokens : '',
    code === null || code === undefined ? '' : paint(style, code),
  ]
  return parts.filter((part) => part !== '').join('  ')
}

function paintMessage(level: number, message: string, paint: Paint): string {
  if (level >= ERROR) return paint('red', `error: ${message}`)
  return level >= WARN ? paint('yellow', `warning: ${message}`) : message
}

/** Local time to the second. */
function timeOf(timeMs: number): string {
  return new Date(timeMs).toLocaleTimeString('en-GB')
}

function show(value: unknown): string {
  const text = isTrace(value) ? describeTrace(value) : describeValue(value)
  const line = stripVTControlCharacters(text).replaceAll(/\p{Cc}/gu, ' ')
  return line.length > VALUE_LENGTH_MAX ? `${line.slice(0, VALUE_LENGTH_MAX)}…` : line
}

function describeValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function isTrace(value: unknown): value is ErrorTrace {
  return typeof value === 'object' && value !== null && 'at' in value
}

function describeTrace({ name, code, at, cause }: ErrorTrace): string {
  const own = [name, code && `(${code})`, at[0]].filter(Boolean).join(' ')
  return cause === undefined ? own : `${own} ← ${describeTrace(cause)}`
}
