// docs/proofs.md describes every proof in the same way, and README claims no more than they found.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { findUnrecordedFigures, type Proof } from './figures.ts'
import { readAnchors, readFile } from './pages.ts'

const PAGE = readFile('docs/proofs.md')
const RECORDED = JSON.parse(readFile('docs/proofs-figures.json')) as Proof[]
/** A test suite with a runner of its own, which is listed beside the proofs. */
const SUITE = 'clients'
const PROOFS = [
  ...spawnSync(process.execPath, ['test/prove.ts'], { encoding: 'utf8' }).stdout.matchAll(
    /^([a-z0-9-]+) {2}/gm,
  ),
].map(([, name = '']) => name)

function readSections(page: string): Map<string, string> {
  const parts = page.split(/^(?=#{1,3} )/m).filter((part) => part.startsWith('### '))
  return new Map(parts.map((part) => [part.slice(4, part.indexOf('\n')), part]))
}

/** Promise, How and the command to run it, each of this proof and in this order. */
function findGaps(name: string, section: string): string[] {
  const command =
    name === SUITE ? '`npm test --prefix test/clients`' : `\`npm run prove -- ${name}\``
  const places = ['**Promise:**', '**How:**', command].map((part) => section.indexOf(part))
  const others = [...section.matchAll(/`npm run prove -- ([a-z0-9-]+)/g)].map(([, other]) => other)
  const inOrder = places.every((place, at) => place > (places[at - 1] ?? 0))
  const isWhole = !places.includes(-1)
  return [
    ...(isWhole ? [] : [`${name} has no Promise, How or ${command}`]),
    ...(isWhole && !inOrder ? [`${name} has its parts in another order`] : []),
    ...others.filter((other) => other !== name).map((other) => `${name} has ${other}'s command`),
  ]
}

const byName = (names: readonly string[]) => [...names].toSorted()

describe('docs/proofs.md', () => {
  test('has a section for each proof, with its promise, how it is tested and its command', () => {
    const sections = readSections(PAGE)
    assert.deepEqual(byName([...sections.keys()]), byName([...PROOFS, SUITE]))
    assert.deepEqual(
      [...sections].flatMap(([name, section]) => findGaps(name, section)),
      [],
    )
  })

  test('has no heading twice, so that #name leads to the proof of that name', () => {
    const headings = [...readAnchors(PAGE).values()].map((heading) => heading.toLowerCase())
    assert.deepEqual(
      headings.filter((heading, at) => headings.indexOf(heading) !== at),
      [],
    )
  })

  test('finds a section whose parts are missing, in another order or of another proof', () => {
    const [promise, how] = ['**Promise:** a.', '**How:** b.']
    const command = '`npm run prove -- kill`.'
    assert.deepEqual(findGaps('kill', `### kill\n${promise}\n${how}\n${command}`), [])
    assert.equal(findGaps('kill', `### kill\n${command}\n${how}\n${promise}`).length, 1)
    assert.equal(findGaps('kill', `### kill\n${promise}\n${command}`).length, 1)
    assert.equal(findGaps('scale', `### scale\n${promise}\n${how}\n${command}`).length, 2)
  })
})

describe('docs/proofs-figures.json', () => {
  test('has a run of every proof and says which of them run in CI', () => {
    const listed = RECORDED.filter(({ name }) => name !== SUITE)
    const ci = readFile('test/prove/ci.txt').match(/^[a-z][a-z-]*/gm) ?? []
    assert.deepEqual(byName(listed.map(({ name }) => name)), byName(PROOFS))
    assert.deepEqual(byName(listed.filter((proof) => proof.ci).map(({ name }) => name)), byName(ci))
  })

  test('marks runs of a short form or of a selection as partial', () => {
    const unmarked = RECORDED.filter(
      ({ figures, partial }) =>
        partial === undefined && figures.some((figure) => /^(?:short form|only )/.test(figure)),
    )
    assert.deepEqual(
      unmarked.map(({ name }) => name),
      [],
    )
  })

  test('marks a run of `permissions` that lacks routes of today as partial', () => {
    const { paths } = JSON.parse(readFile('openapi/management.json')) as { paths: object }
    const routes = Object.values(paths).flatMap((path: object) => Object.keys(path)).length
    const proof = RECORDED.find(({ name }) => name === 'permissions')
    const isWhole = proof?.figures.join().includes(`routes=${routes} `)
    assert.ok(isWhole === true || proof?.partial !== undefined, `${routes} routes`)
  })
})

describe('README.md', () => {
  test('has only figures that the linked proofs have recorded in a whole run', () => {
    assert.deepEqual(findUnrecordedFigures(readFile('README.md'), RECORDED), [])
  })

  test('is checked figure by figure', () => {
    const proofs = [
      { name: 'kill', ci: true, figures: ['kills=300 share=0.997'] },
      { name: 'pages', ci: true, figures: ['pages=2'], partial: 'two pages' },
    ]
    const find = (text: string) => findUnrecordedFigures(text, proofs)
    assert.deepEqual(find('After [300 kills](docs/proofs.md#kill), 99.7 %.'), [])
    assert.deepEqual(find('About 7 files. It [survives](docs/proofs.md#kill).'), [])
    assert.deepEqual(find('- After [100 kills](docs/proofs.md#kill).'), [
      '100 is not a figure of kill',
    ])
    assert.deepEqual(find('[2 pages](docs/proofs.md#pages)'), ['2: pages is partial (two pages)'])
  })
})
