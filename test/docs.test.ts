// Links, anchors and commands in the Markdown files exist.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { posix, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { Command } from 'commander'

const ROOT = resolve(import.meta.dirname, '..')

type Page = { readonly path: string; readonly text: string }

const PAGES: readonly Page[] = listTracked('*.md').map((path) => ({ path, text: read(path) }))

function listTracked(pattern: string): string[] {
  const command = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', pattern]
  const output = execFileSync('git', command, { cwd: ROOT, encoding: 'utf8' })
  const paths = new Set(output.split('\0').filter((path) => path !== ''))
  return [...paths].filter((path) => existsSync(resolve(ROOT, path))).toSorted()
}

function read(path: string): string {
  return readFileSync(resolve(ROOT, path), 'utf8')
}

function withoutCode(text: string): string {
  return text.replaceAll(/^ *```.*?^ *```$/gms, '').replaceAll(/`[^`\n]*`/g, '')
}

/** Targets of links and images; the text in brackets may hold code or other brackets. */
function linksOf({ text }: Page): string[] {
  const inline = withoutCode(text).matchAll(/\]\(([^()\s]+)\)/g)
  const inHtml = withoutCode(text).matchAll(/\b(?:src|srcset|href)="([^"]+)"/g)
  return [...inline, ...inHtml].map(([, target]) => target ?? '')
}

/** The ids that GitHub gives to headings. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>()
  const headings = text.replaceAll(/^ *```.*?^ *```$/gms, '').matchAll(/^#+ +(.*)$/gm)
  for (const [, heading = ''] of headings) {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const anchor = words.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(/\s/g, '-')
    const repeats = [anchor, `${anchor}-1`, `${anchor}-2`, `${anchor}-3`]
    anchors.add(repeats.find((name) => !anchors.has(name)) ?? anchor)
  }
  return anchors
}

function findBrokenLinks(page: Page): string[] {
  return linksOf(page).filter((link) => {
    if (/^[a-z]+:/.test(link)) return false
    const [file = '', anchor] = link.split('#')
    const target =
      file === '' ? page.path : posix.join(posix.dirname(page.path), decodeURIComponent(file))
    if (target.startsWith('..') || !existsSync(resolve(ROOT, target))) return true
    return anchor !== undefined && !anchorsOf(read(target)).has(anchor)
  })
}

/** Every match of a pattern in code, inline or fenced: prose may speak of commands loosely. */
function commandsOf({ text }: Page, pattern: RegExp): string[] {
  const code = [...text.matchAll(/^ *```.*?^ *```$|`[^`\n]+`/gms)].map(([match]) => match)
  return code.flatMap((snippet) => [...snippet.matchAll(pattern)].map(([, name]) => name ?? ''))
}

/** What a program of ours prints about itself: the same list that people get. */
function ask(...command: string[]): string {
  const { stdout, stderr } = spawnSync(process.execPath, command, { cwd: ROOT, encoding: 'utf8' })
  return stdout + stderr
}

async function readProgram(): Promise<Command> {
  const program = new Command()
  for (const path of globSync('src/cli/**/*.ts', { cwd: ROOT })) {
    if (path.endsWith('.test.ts')) continue
    const exported = (await import(resolve(ROOT, path))) as Record<string, unknown>
    const registers = Object.entries(exported).filter(([name]) => name.startsWith('register'))
    for (const [, register] of registers) (register as (to: Command) => void)(program)
  }
  return program
}

const SCRIPTS = Object.keys((JSON.parse(read('package.json')) as { scripts: object }).scripts)
// The answer to an unknown suite is the list of those that exist.
const [KNOWN_SUITES = ''] =
  /(?:[a-z0-9-]+, ){2,}[a-z0-9-]+/.exec(ask('test/run.ts', '--only', '?')) ?? []
const SUITES = KNOWN_SUITES.split(', ')
const PROOFS = [...ask('test/prove.ts').matchAll(/^([a-z0-9-]+) {2}/gm)].map(
  ([, name]) => name ?? '',
)
const NOUNS = (await readProgram()).commands
const VERBS = new Map(
  NOUNS.map((noun) => [noun.name(), noun.commands.map((verb) => verb.name())] as const),
)

function isKnownCommand(noun: string, verb: string | undefined): boolean {
  const verbs = VERBS.get(noun)
  if (verbs === undefined) return false
  return verb === undefined || verbs.length === 0 || verbs.includes(verb)
}

function findUnknownCommands(page: Page): string[] {
  const scripts = commandsOf(page, /\bnpm run (?:-s |--silent )?([a-z][a-z-]*)/g)
  const suites = commandsOf(page, /\bnpm test -- --only ([a-z-]+)/g)
  const proofs = commandsOf(page, /\bnpm run prove -- ([a-z-]+)/g)
  const commands = commandsOf(page, /(?:^|[\s`])headrace ([a-z]+(?: [a-z][a-z-]*)?)/gm)
  return [
    ...scripts.filter((name) => !SCRIPTS.includes(name)).map((name) => `npm run ${name}`),
    ...suites.filter((name) => !SUITES.includes(name)).map((name) => `--only ${name}`),
    ...proofs.filter((name) => ![...PROOFS, 'all'].includes(name)).map((name) => `prove ${name}`),
    ...commands
      .filter((command) => !isKnownCommand(...(command.split(' ') as [string, string?])))
      .map((command) => `headrace ${command}`),
  ]
}

describe('the documentation', () => {
  for (const page of PAGES) {
    test(`links of ${page.path} lead somewhere`, () => {
      assert.deepEqual(findBrokenLinks(page), [])
    })

    test(`commands in ${page.path} exist`, () => {
      assert.deepEqual(findUnknownCommands(page), [])
    })
  }

  test('the commands, suites and proofs were found', () => {
    assert.ok(VERBS.get('key')?.includes('revoke') && VERBS.get('api')?.length === 0)
    assert.ok(SUITES.includes('unit') && SUITES.includes('api'))
    assert.ok(PROOFS.includes('limits'))
  })

  test('docs/proofs.md covers the proofs and says which of them run in CI', () => {
    const figures = JSON.parse(read('docs/proofs-figures.json')) as { name: string; ci: boolean }[]
    const listed = figures.filter(({ name }) => name !== 'clients')
    const ci = read('test/prove/ci.txt').match(/^[a-z][a-z-]*/gm) ?? []
    const byName = (names: readonly string[]) => [...names].toSorted()
    assert.deepEqual(byName(listed.map(({ name }) => name)), byName(PROOFS))
    assert.deepEqual(byName(listed.filter((proof) => proof.ci).map(({ name }) => name)), byName(ci))
  })
})
