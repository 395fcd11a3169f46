import { withoutCode } from './pages.ts'

/** One entry of docs/proofs-figures.json. */
export type Proof = {
  readonly name: string
  readonly ci: boolean
  readonly figures: readonly string[]
  /** What the recorded run left out. */
  readonly partial?: string
}

const LINK = /\[([^\]]*)\]\(([^()\s]+)\)/g
const PROOF_LINK = /^(?:\.\/)?docs\/proofs\.md#([a-z0-9-]+)$/
const NUMBER = /\d[\d,]*(?:\.\d+)?/g

/** Sentences and list items of a page; headings, code and rows of tables are none. */
function readSentences(page: string): string[] {
  const blocks = withoutCode(page).split(/\n\s*\n|\n(?=\s*[-*] )/)
  return blocks
    .filter((block) => !/^\s*[#|<]/.test(block))
    .flatMap((block) => block.replaceAll(/\s+/g, ' ').split(/(?<=[.!?]) (?=[A-Z[*])/))
}

function readNumbers(text: string): string[] {
  return [...text.matchAll(NUMBER)].map(([number]) => number.replaceAll(',', ''))
}

/** A share may be written in percent. */
function isRecorded(number: string, recorded: readonly string[]): boolean {
  return recorded.some((each) => each === number || Number(each) === Number(number) / 100)
}

/** Figures of a page that the proofs which their sentence links to have not recorded. */
export function findUnrecordedFigures(page: string, proofs: readonly Proof[]): string[] {
  return readSentences(page).flatMap((sentence) => {
    const links = [...sentence.matchAll(LINK)].map(([, , target = '']) => target)
    const names = links.flatMap((target) => PROOF_LINK.exec(target)?.[1] ?? [])
    const linked = proofs.filter(({ name }) => names.includes(name))
    const numbers = readNumbers(sentence.replaceAll(LINK, '$1'))
    if (linked.length === 0 || numbers.length === 0) return []
    const recorded = linked.flatMap(({ figures }) => figures.flatMap(readNumbers))
    return [
      ...numbers
        .filter((number) => !isRecorded(number, recorded))
        .map((number) => `${number} is not a figure of ${names.join(', ')}`),
      ...linked
        .filter(({ partial }) => partial !== undefined)
        .map(({ name, partial }) => `${numbers.join(', ')}: ${name} is partial (${partial})`),
    ]
  })
}
