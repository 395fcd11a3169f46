import { readSource } from './source-pages.ts'

type Proof = { readonly name: string; readonly figures: readonly string[] }

/** What can go wrong, of how many, as the last run of a proof counted it. */
type Count = {
  readonly proof: string
  readonly wrong: readonly string[]
  readonly of: string
  /** `{figure}` is another figure of the same run. */
  readonly text: string
}

/** The three promises that tenants and operators ask about first. */
const COUNTS: readonly Count[] = [
  {
    proof: 'limits',
    wrong: ['mismatches'],
    of: 'calls',
    text: 'rate limit decisions differed from exact arithmetic',
  },
  {
    proof: 'kill',
    wrong: ['lost', 'double'],
    of: 'requests',
    text: 'requests were lost or billed twice by {kills} kills of processes and databases',
  },
  {
    proof: 'drain',
    wrong: ['broken'],
    of: 'streams',
    text: 'streams were broken by {restarts} restarts under load',
  },
]

/** Figures of recorded runs as a list, each with a link to its proof. */
export function writeFigures(): string {
  const proofs = JSON.parse(readSource('docs/proofs-figures.json')) as readonly Proof[]
  const items = COUNTS.map(({ proof, wrong, of, text }) => {
    const figures = proofs.find(({ name }) => name === proof)?.figures ?? []
    const read = (figure: string) => readFigure(proof, figures, figure)
    const sum = wrong.reduce((total, figure) => total + read(figure), 0)
    const filled = text.replaceAll(/\{(\w+)\}/g, (_all, figure: string) => show(read(figure)))
    return `- **${show(sum)} of ${show(read(of))}** [${filled}](/proofs.md#${proof})`
  })
  return ['<div class="figures">', '', ...items, '', '</div>'].join('\n')
}

function readFigure(proof: string, figures: readonly string[], name: string): number {
  const value = new RegExp(`\\b${name}=(\\d+)`).exec(figures.join(' '))?.[1]
  if (value === undefined) throw new Error(`the proof ${proof} has no figure ${name}`)
  return Number(value)
}

function show(count: number): string {
  return count.toLocaleString('en')
}
