// Writes the table of docs/programs.md, and the number of programs in README.md, from what the
// runs of `npm run programs -- --record` left in test/clients/recorded.
//   node docs/generate-programs.ts           writes them
//   node docs/generate-programs.ts --check   exits 1 when a committed page differs
import { readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { CHECKS } from '../test/harness/programs/program.ts'
import { readRecordings, type Recording } from '../test/harness/programs/recording.ts'
import { renderTable } from './render-table.ts'

const PAGE = new URL('programs.md', import.meta.url)
const README = new URL('../README.md', import.meta.url)
const BEGIN = '<!-- programs: written by docs/generate-programs.ts. -->\n'
const END = '<!-- End of programs. -->\n'
const COUNT = /\[\d+ programs\]\(docs\/programs\.md\)/

function renderRow(recording: Recording): string[] {
  const { program, version, recorded, date, checks, returnsReasoning: returned } = recording
  const cells = CHECKS.map((check) => checks[check]?.replace(/:.*/s, '') ?? '–')
  const reasoning = returned === null ? '–' : returned ? 'yes' : 'no'
  return [`${program} ${version}`, ...cells, reasoning, recorded ? date : 'not run']
}

/** A program runs if none of its checks fails; those that were not run do not count. */
function runs({ recorded, checks }: Recording): boolean {
  return recorded && Object.values(checks).every((result) => result === 'yes')
}

function renderPage(page: string, recordings: readonly Recording[]): string {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (from === -1 || to < from) throw new Error('docs/programs.md has no place for the table')
  const head = ['Program', ...CHECKS, 'Returns reasoning', 'Run']
  const rows = recordings
    .toSorted((one, other) => one.program.localeCompare(other.program, 'en'))
    .map(renderRow)
  return `${page.slice(0, from)}${BEGIN}\n${renderTable([head, ...rows])}\n\n${page.slice(to)}`
}

const recordings = [...readRecordings().values()]
const count = recordings.filter(runs).length
const pages = [
  [PAGE, (text: string) => renderPage(text, recordings)],
  [README, (text: string) => text.replace(COUNT, `[${count} programs](docs/programs.md)`)],
] as const
for (const [page, render] of pages) {
  const text = readFileSync(page, 'utf8')
  const current = render(text)
  if (!process.argv.includes('--check')) writeFileSync(page, current)
  else if (text !== current) {
    console.error(`${basename(page.pathname)} differs from the recordings: run npm run generate`)
    process.exitCode = 1
  }
}
