import type { Printable } from '../print.ts'
import type { FleetSummary } from './summarise-fleet.ts'

/** One column: its heading, its cells, and its width. The first of a table gets what is left. */
type Column = {
  readonly head: string
  readonly cell: (row: Printable) => string
  readonly width: number
  readonly left?: true
}

type Section = { readonly columns: readonly Column[]; readonly rows: readonly Printable[] }

export type Screen = {
  readonly columns: number
  /** Infinity if the output is not a terminal. */
  readonly lines: number
}

const WIDTH_MIN = 80
/** Rows that each table may have when there is not room for all; engines get the rest. */
const ROWS_MIN = 4
const READY = 'ready'

/** The text of `headrace top`: processes, engines, queues, organizations. Fits in 80 columns. */
export function draw(
  processes: readonly Printable[],
  { engines, models, organizations }: FleetSummary,
  screen: Screen,
  nowMs: number,
): string {
  // What needs attention is first; then the busiest.
  const byNeed = engines.toSorted(
    (one, other) =>
      Number(one['state'] === READY) - Number(other['state'] === READY) ||
      number(other['running']) - number(one['running']),
  )
  const byWait = models.toSorted(
    (one, other) =>
      number(other['waiting']) - number(one['waiting']) ||
      number(other['running']) - number(one['running']),
  )
  const sections: Section[] = [
    { columns: PROCESS_COLUMNS, rows: processes },
    { columns: engineColumns(nowMs), rows: byNeed },
    { columns: MODEL_COLUMNS, rows: byWait },
    { columns: ORGANIZATION_COLUMNS, rows: organizations },
  ]
  const room = rowsOf(sections, screen.lines)
  const width = Math.max(WIDTH_MIN, screen.columns)
  const blocks = sections.map((section, at) => drawTable(section, room[at] ?? 0, width))
  const shown = blocks.filter((_, at) => sections[at]?.rows.length !== 0)
  return shown.map((lines) => lines.map((line) => line.trimEnd()).join('\n')).join('\n\n')
}

/** How many rows of each section are shown: each gets a few, then the engines, then the others. */
function rowsOf(sections: readonly Section[], lines: number): number[] {
  // The time, and for each section its head, an empty line and the line that counts the rest.
  let room = lines - 1 - sections.length * 3
  const few = Math.max(1, Math.min(ROWS_MIN, Math.floor(room / sections.length)))
  const rows = sections.map(({ rows: { length } }) => Math.min(length, few))
  room -= rows.reduce((total, each) => total + each, 0)
  for (const at of [1, 0, 2, 3]) {
    const section = sections[at]
    const shown = rows[at]
    if (section === undefined || shown === undefined) continue
    const more = Math.max(0, Math.min(section.rows.length - shown, room))
    rows[at] = shown + more
    room -= more
  }
  return rows
}

function drawTable({ columns, rows }: Section, shown: number, width: number): string[] {
  const others = columns.slice(1).reduce((total, column) => total + column.width + 1, 0)
  const widths = columns.map((column, at) => (at === 0 ? width - others : column.width))
  const line = (cells: readonly string[]) =>
    cells.map((cell, at) => fit(cell, widths[at] ?? 0, columns[at]?.left === true)).join(' ')
  const lines = rows.slice(0, shown).map((row) => line(columns.map(({ cell }) => cell(row))))
  const hidden = rows.length - lines.length
  if (hidden > 0) lines.push(`… ${hidden} more`)
  return [line(columns.map(({ head }) => head)), ...lines]
}

/** Without control characters, and cut if it is too long. */
function fit(cell: string, width: number, isLeft: boolean): string {
  const plain = cell.replaceAll(/\p{Cc}/gu, '?')
  const cut = plain.length > width ? `${plain.slice(0, width - 1)}…` : plain
  return isLeft ? cut.padEnd(width) : cut.padStart(width)
}

function number(value: Printable[string] | undefined): number {
  return typeof value === 'number' ? value : 0
}

function text(value: Printable[string] | undefined): string {
  return value === null || value === undefined ? '-' : String(value)
}

/** At most one digit behind the point, and none of what does not fit. */
function count(value: Printable[string] | undefined): string {
  if (typeof value !== 'number') return '-'
  if (value >= 999_500) return `${(value / 1e6).toFixed(1)}M`
  if (value >= 9_999.5) return `${Math.round(value / 1000)}k`
  return String(value >= 100 ? Math.round(value) : Math.round(value * 10) / 10)
}

function label(head: string, name: string, width = 0): Column {
  return { head, width, left: true, cell: (row) => text(row[name]) }
}

function figure(head: string, name: string, width: number): Column {
  return { head, width, cell: (row) => count(row[name]) }
}

const PROCESS_COLUMNS: readonly Column[] = [
  { ...label('PROCESS', 'process'), cell: (row) => text(row['process']).replace('http://', '') },
  label('KIND', 'kind', 7),
  figure('OK/S', 'ok_per_second', 6),
  figure('4XX/S', 'refused_per_second', 5),
  figure('5XX/S', 'failed_per_second', 5),
  figure('RUN', 'running', 4),
  figure('TOK/S', 'tokens_per_second', 6),
  figure('P95 MS', 'first_token_p95_ms', 6),
  figure('BUSY%', 'busy_percent', 5),
  figure('MIB', 'memory_mib', 5),
  figure('LAG S', 'lag_seconds', 5),
]

const MODEL_COLUMNS: readonly Column[] = [
  label('MODEL', 'model'),
  figure('RUN', 'running', 5),
  figure('WAIT', 'waiting', 5),
  figure('EXPECTED S', 'expected_wait_seconds', 10),
  figure('REFUSED/S', 'refused_per_second', 9),
]

const ORGANIZATION_COLUMNS: readonly Column[] = [
  label('MODEL', 'model'),
  label('ORGANIZATION', 'organization', 36),
  figure('TOKENS', 'tokens', 7),
  figure('SHARE%', 'share_percent', 6),
]

function engineColumns(nowMs: number): readonly Column[] {
  return [
    label('ENGINE', 'engine'),
    label('STATE', 'state', 13),
    {
      head: 'SINCE',
      width: 5,
      cell: ({ since }) => (typeof since === 'string' ? age(nowMs - Date.parse(since)) : '-'),
    },
    figure('RUN', 'running', 4),
    figure('HELD', 'leased', 4),
    {
      head: 'SLOTS',
      width: 7,
      // Two numbers where the engine has fewer than were configured.
      cell: ({ found, capacity }) =>
        found === capacity ? text(capacity) : `${text(found)}/${text(capacity)}`,
    },
    figure('IN', 'waiting_inside', 3),
    figure('1ST MS', 'first_token_ms', 6),
    figure('TOK/S', 'tokens_per_second', 5),
    figure('CACHE%', 'cached_percent', 6),
  ]
}

const UNITS: readonly [name: string, seconds: number][] = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
]

function age(ms: number): string {
  const seconds = Math.max(0, ms / 1000)
  const [name, unit] = UNITS.find(([, each]) => seconds >= each) ?? ['s', 1]
  return `${Math.floor(seconds / unit)}${name}`
}
