// Writes the summary and the table of recorded runs in docs/proofs.md, from proofs-figures.json,
// proofs-summary.json and test/prove/ci.txt.
//   node docs/generate-proofs.ts           writes them
//   node docs/generate-proofs.ts --check   exits 1 when the committed page differs
import { readFileSync, writeFileSync } from 'node:fs'
import { readCiProofs } from '../test/runner/ci-proofs.ts'
import { renderTable } from './render-table.ts'

const PAGE = new URL('proofs.md', import.meta.url)

type Proof = {
  readonly name: string
  /** What the run left out, if it was not a whole one. */
  readonly partial?: string
  /** Each becomes a row, so that no cell grows long. */
  readonly figures: readonly string[]
  readonly date: string
  readonly commit: string
  readonly ci: boolean
}

/** `{proof.figure}` in the text is a recorded figure, `{proof.figure%}` a share in percent. */
type Claim = { readonly claim: string; readonly text: string }

const proofs = readJson('proofs-figures.json') as readonly Proof[]
const claims = readJson('proofs-summary.json') as readonly Claim[]
const ciOptions = readCiOptions()

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'))
}

function readCiOptions(): ReadonlyMap<string, string> {
  return new Map(readCiProofs().map(({ name, options }) => [name, options.join(' ')]))
}

function renderSummary(): string {
  return claims.map(renderClaim).join('\n')
}

function renderClaim({ claim, text }: Claim): string {
  const used = new Set<Proof>()
  const filled = text.replaceAll(/\{([a-z-]+)\.(\w+)(%?)\}/g, (_, name: string, key, percent) => {
    const proof = proofs.find((each) => each.name === name)
    if (proof === undefined) throw new Error(`${claim}: there is no proof ${name}`)
    const figure = showFigure(proof, String(key), percent === '%')
    if (used.has(proof)) return figure
    used.add(proof)
    return `[${figure}](#${name})`
  })
  const notes = [...used].flatMap(({ name, partial }) =>
    partial === undefined ? [] : [` _Partial run of \`${name}\`: ${partial}._`],
  )
  return `- **${claim}.** ${filled}${notes.join('')}`
}

function showFigure({ name, figures }: Proof, key: string, isShare: boolean): string {
  const [, value] = new RegExp(`\\b${key}=([\\d./]*\\d)`).exec(figures.join(' ')) ?? []
  if (value === undefined) throw new Error(`${name} has no figure ${key}`)
  if (value.includes('/')) return value.replace('/', ' of ')
  const number = isShare ? Number(value) * 100 : Number(value)
  return number.toLocaleString('en', { maximumFractionDigits: 4 })
}

function renderRuns(): string {
  const rows = proofs.flatMap(({ name, partial, figures, date, commit, ci }) => {
    const note = partial === undefined ? '' : `**partial** (${partial}): `
    return figures.map((figure, at) =>
      at === 0
        ? [`[\`${name}\`](#${name})`, note + figure, showCi(name, ci), `${date}, ${commit}`]
        : ['', figure, '', ''],
    )
  })
  return renderTable([['Proof', 'Figures', 'In CI', 'Run'], ...rows])
}

function showCi(name: string, ci: boolean): string {
  const options = ciOptions.get(name) ?? ''
  return options === '' ? (ci ? 'yes' : 'no') : `\`${options}\``
}

function replacePart(page: string, name: string, text: string): string {
  const begin = `<!-- ${name}: written by docs/generate-proofs.ts. -->\n`
  const end = `<!-- End of ${name}. -->\n`
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`docs/proofs.md has no place for ${name}`)
  return `${page.slice(0, from)}${begin}\n${text}\n\n${page.slice(to)}`
}

const page = readFileSync(PAGE, 'utf8')
const current = replacePart(replacePart(page, 'summary', renderSummary()), 'runs', renderRuns())
if (!process.argv.includes('--check')) writeFileSync(PAGE, current)
else if (page !== current) {
  console.error('docs/proofs.md differs from docs/proofs-figures.json: run npm run generate')
  process.exitCode = 1
}
