// Commands in the documentation and in commented settings can be run as they are written.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { findMistake, isMention, splitLine } from './commands.ts'
import { readFencedLines, readFile, readInlineCode, readPages, type Page } from './pages.ts'

const PAGES = readPages('*.md')
const SETTINGS = readPages('*.yaml', '*.yml', '*.env', '*.env.example', '.env.example', '*.sh')
/** Everything in it is typed at three in the morning, so its commands are complete. */
const RUNBOOK = 'docs/operating/runbook.md'

/** What a program of ours prints about itself: the same list that people get. */
function ask(...command: string[]): string {
  const { stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' })
  return stdout + stderr
}

const SCRIPTS = Object.keys((JSON.parse(readFile('package.json')) as { scripts: object }).scripts)
// The answer to an unknown suite is the list of those that exist.
const [KNOWN_SUITES = ''] =
  /(?:[a-z0-9-]+, ){2,}[a-z0-9-]+/.exec(ask('test/run.ts', '--only', '?')) ?? []
const SUITES = KNOWN_SUITES.split(', ')
const PROOFS = [...ask('test/prove.ts').matchAll(/^([a-z0-9-]+) {2}/gm)].map(
  ([, name]) => name ?? '',
)

/** Names that stand for several proofs. */
const NAMES = [...PROOFS, 'all', 'live']

/** A fenced line is complete; inline code may be the mere name of a command. */
function findMistakes({ path, text }: Page): string[] {
  const inline = readInlineCode(text).flatMap(splitLine)
  const complete = path.endsWith('.md') && path !== RUNBOOK ? inline.filter(isComplete) : inline
  const lines = ['sh', 'console'].flatMap((name) => readFencedLines(text, name))
  return [...lines.flatMap(splitLine), ...complete].flatMap((command) => {
    const mistake = findMistake(command)
    return mistake === undefined ? [] : [`${command}: ${mistake}`]
  })
}

function isComplete(command: string): boolean {
  return !isMention(command) || findMistake(`${command} …`) !== undefined
}

function findUnknownScripts({ text }: Page): string[] {
  const code = [...readFencedLines(text, 'sh'), ...readInlineCode(text)].join('\n')
  const find = (pattern: RegExp) => [...code.matchAll(pattern)].map(([, name]) => name ?? '')
  const scripts = find(/\bnpm run (?:-s |--silent )?([a-z][a-z-]*)/g)
  const suites = find(/\bnpm test -- --only ([a-z-]+)/g)
  const proofs = find(/\bnpm run prove -- ([a-z][a-z-]*)/g)
  return [
    ...scripts.filter((name) => !SCRIPTS.includes(name)).map((name) => `npm run ${name}`),
    ...suites.filter((name) => !SUITES.includes(name)).map((name) => `--only ${name}`),
    ...proofs.filter((name) => !NAMES.includes(name)).map((name) => `prove ${name}`),
  ]
}

describe('commands', () => {
  for (const page of PAGES) {
    test(`of ${page.path} have known options and all required ones`, () => {
      assert.deepEqual(findMistakes(page), [])
      assert.deepEqual(findUnknownScripts(page), [])
    })
  }

  test('in comments of settings have known options and all required ones', () => {
    const wrong = SETTINGS.flatMap((page) =>
      findMistakes(page).map((mistake) => `${page.path}: ${mistake}`),
    )
    assert.deepEqual(wrong, [])
  })

  test('suites and proofs were found', () => {
    assert.ok(SUITES.includes('unit') && SUITES.includes('api'))
    assert.ok(PROOFS.includes('limits'))
  })
})

describe('a command is refused', () => {
  const CASES = [
    ['without a required option', 'headrace balance grant ORGANIZATION 25.00', /--reason/],
    ['without a required argument', 'sudo headrace explain', /missing required argument/],
    ['with an unknown option', 'npx headrace engine list --all-of-them', /unknown option/],
    ['with an unknown name', 'npm run headrace -- keys list', /unknown command/],
    ['with an invalid value', 'node /app/dist/main.js doctor --wait soon', /invalid/],
    ['with an argument too many', 'headrace migrate now', /too many arguments/],
    ['that the image does not have', 'kubectl exec deploy/x -- headrace reload', /the image/],
  ] as const
  for (const [name, command, message] of CASES) {
    test(name, () => {
      assert.match(splitLine(command).map(findMistake).join(), message)
    })
  }

  test('but not with a placeholder, a cut or after another command', () => {
    const line =
      'cd x && headrace key create --organization acme --name "a key" # once; headrace nothing'
    for (const command of [
      line,
      'headrace usage show ORG --from TIME --to TIME',
      'headrace balance grant …',
      'docker compose run --rm headrace doctor --wait SECONDS',
      'headrace capacity --streams N --tokens-per-second T',
      'psql "$HEADRACE_DATABASE_URL" -c "select 1"',
    ]) {
      assert.deepEqual(
        splitLine(command).map((each) => findMistake(each)),
        splitLine(command).map(() => undefined),
      )
    }
  })
})
