// Writes the table of figures in docs/proofs.md from docs/proofs-figures.json.
//   node docs/generate-proofs.ts           writes it
//   node docs/generate-proofs.ts --check   exits 1 when the committed table differs
import { readFileSync, writeFileSync } from 'node:fs'
import { renderTable } from './render-table.ts'

const PAGE = new URL('proofs.md', import.meta.url)
const DATA = new URL('proofs-figures.json', import.meta.url)

const BEGIN =
  '<!-- Figures: written by docs/generate-proofs.ts from docs/proofs-figures.json. -->\n'
const END = '<!-- End of the figures. -->\n'

type Proof = {
  readonly name: string
  /** Each becomes a row, so that no cell grows long. */
  readonly figures: readonly string[]
  readonly date: string
  readonly commit: string
  readonly ci: boolean
}

function renderProofs(proofs: readonly Proof[]): string {
  const rows = proofs.flatMap(({ name, figures, date, commit, ci }) =>
    figures.map((figure, at) =>
      at === 0
        ? [`[\`${name}\`](#${name})`, figure, ci ? 'yes' : 'no', `${date}, ${commit}`]
        : ['', figure, '', ''],
    ),
  )
  return renderTable([['Proof', 'Figures', 'In CI', 'Run'], ...rows])
}

function renderPage(page: string): string {
  const begin = page.indexOf(BEGIN)
  const end = page.indexOf(END)
  if (begin === -1 || end < begin) throw new Error('docs/proofs.md has no place for the figures')
  const proofs = JSON.parse(readFileSync(DATA, 'utf8')) as Proof[]
  return `${page.slice(0, begin)}${BEGIN}\n${renderProofs(proofs)}\n\n${page.slice(end)}`
}

const page = readFileSync(PAGE, 'utf8')
const current = renderPage(page)
if (!process.argv.includes('--check')) writeFileSync(PAGE, current)
else if (page !== current) {
  console.error('docs/proofs.md differs from docs/proofs-figures.json: run npm run generate')
  process.exitCode = 1
}
