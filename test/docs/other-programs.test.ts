// Commands of guides that our own program does not parse: each program is known, and so is what
// runs it. Files and services that these commands name exist.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { splitLine } from './commands.ts'
import { findMistakes, isChecked } from './programs.ts'
import { programOf, readFencedCommands, readInlineCommands } from './shell.ts'
import { readFencedLines, readFile, readPages, targetExists, type Page } from './pages.ts'

const GUIDES = readPages(
  'README.md',
  'CONTRIBUTING.md',
  'docs/*.md',
  'docs/install/*.md',
  'docs/operating/*.md',
  'docs/start/*.md',
  'docs/migrate/*.md',
  'package/README.md',
  'stack/README.md',
)

/** Programs that no test of ours can run everywhere, and what runs these commands instead. */
const ELSEWHERE = {
  docker: 'needs a Docker daemon: the proof compose follows the guide',
  kubectl: 'needs a cluster: the proof kubernetes follows the guide',
  helm: 'needs a cluster: the proof kubernetes follows the guide',
  systemctl: 'needs systemd: the release workflow starts the units',
  journalctl: 'needs systemd: the release workflow reads it',
  'systemd-analyze': 'needs systemd: the release workflow verifies the units',
  dpkg: 'needs root: the proof package installs the package',
  'apt-get': 'needs root and a mirror of Debian',
  cosign: 'needs a release that was published',
  promtool: 'needs Prometheus: the proof alerts checks and tests the rules',
  'llama-server': 'needs a model file: the development stack starts one with the same flags',
  sqlite3: 'reads the database of another gateway',
} as const

/** test/api/documented-commands.test.ts runs each of their commands on real servers. */
const RUN = new Set(['psql', 'valkey-cli'])

/** Programs of every Linux, and words of the shell. */
const SHELL = new Set(
  (
    'cat cd chmod command cp cut do done echo export for getent install mkdir mv node openssl ' +
    'printf rm sed seq set sha256sum ss tar touch tr ulimit umask . ( ) } "${EDITOR:-vi}"'
  ).split(' '),
)
/** Scripts of the repository. */
const OURS = /^(?:\.?\/?(?:deploy|package|examples)\/\S+|\.\/\S+\.sh)$/

const isNamed = (name: string) =>
  Object.hasOwn(ELSEWHERE, name) || isChecked(name) || RUN.has(name) || name === 'for'
const isKnown = (name: string) => isNamed(name) || SHELL.has(name) || OURS.test(name)
const readCommands = (page: Page) => [
  ...readFencedCommands(page),
  ...readInlineCommands(page, isNamed),
]

describe('programs', () => {
  for (const page of GUIDES) {
    test(`of ${page.path} are ours, of every Linux, or known to run elsewhere`, () => {
      const unknown = readCommands(page).filter((command) => !isKnown(programOf(command)))
      assert.deepEqual(unknown, [])
    })

    test(`of ${page.path} are given routes, options, units and files that exist`, () => {
      const wrong = readCommands(page).flatMap((command) =>
        findMistakes(command).map((mistake) => `${command}: ${mistake}`),
      )
      assert.deepEqual(wrong, [])
    })
  }

  test('that run elsewhere are all used, so that the list has no leftovers', () => {
    const used = new Set(GUIDES.flatMap(readCommands).map(programOf))
    assert.deepEqual(
      Object.keys(ELSEWHERE).filter((name) => !used.has(name)),
      [],
    )
  })
})

describe('a command of another program is refused', () => {
  const CASES = [
    ['with an invented program', 'frobnicate --all', /unknown program/],
    ['with an invented option', 'npm run stack -- up --gpu', /no --gpu/],
    ['with an option of another proof', 'npm run prove -- contract --kills 10', /no --kills/],
    ['with a test file that is gone', 'npm test -- test/api/gone.test.ts', /does not exist/],
    ['with a path that nobody serves', 'curl -s 127.0.0.1:9090/ready', /no route/],
    ['with a method that nobody serves', 'curl "$CONSOLE/management/v1/revoked-keys"', /no route/],
    ['with a body that is not JSON', "curl localhost/compat/v1/models -d '{a}'", /not JSON/],
    ['with a message that nothing logs', `jq 'select(.msg == "job sad")'`, /no log message/],
    ['with a metric that nobody has', 'grep headrace_worker_boss', /no metric/],
    ['with a unit that is not installed', 'journalctl -u headrace-web', /no unit/],
    ['with a file that no release has', 'tar -xzf headrace-docs-0.1.0.tgz', /no file/],
  ] as const
  for (const [name, line, message] of CASES) {
    test(name, () => {
      const commands = readFencedCommands({ path: 'x.md', text: `\`\`\`sh\n${line}\n\`\`\`\n` })
      const mistakes = commands.flatMap((command) =>
        isKnown(programOf(command)) ? findMistakes(command) : ['unknown program'],
      )
      assert.match(mistakes.join(), message)
    })
  }
})

/** Not there yet, because a build writes it; or a deployment of Kubernetes. */
const NOT_FILES = /^package\/out|^deploy\/headrace-/

/** Files of the repository that a command names. */
function findMissingFiles(page: Page): string[] {
  const code = readFencedLines(page.text, 'sh').join('\n')
  const paths =
    code.match(/(?<![\w/.-])(?:\.\/)?(?:deploy|examples|package|stack)\/[\w./-]+/g) ?? []
  return paths.filter((path) => !NOT_FILES.test(path) && !targetExists(path.replace('./', '')))
}

describe('files', () => {
  for (const page of GUIDES) {
    test(`that commands of ${page.path} name exist`, () => {
      assert.deepEqual(findMissingFiles(page), [])
    })
  }

  test('that do not exist are found', () => {
    const text = '```sh\ndeploy/no/build.sh package/out/x.tgz && ls deploy/compose\n```\n'
    assert.deepEqual(findMissingFiles({ path: 'x.md', text }), ['deploy/no/build.sh'])
  })
})

const { services } = parse(readFile('deploy/compose/compose.yaml')) as { services: object }
const SERVICES = Object.keys(services)

/** The service after `docker compose exec` or `run`, and those after `up`. */
function findUnknownServices({ text }: Page): string[] {
  const commands = readFencedLines(text, 'sh').flatMap(splitLine)
  return commands.flatMap((command) => {
    const [, verb, rest = ''] = /^docker compose (exec|run|up) (.*)$/.exec(command) ?? []
    if (verb === undefined) return []
    const words = rest.replaceAll(/--scale \S+/g, '').split(/\s+/)
    const named = words.filter((word) => /^[a-z]+$/.test(word))
    const given = verb === 'up' ? named : named.slice(0, 1)
    return given.filter((name) => !SERVICES.includes(name))
  })
}

describe('services of Docker Compose', () => {
  for (const page of GUIDES) {
    test(`that commands of ${page.path} name exist`, () => {
      assert.deepEqual(findUnknownServices(page), [])
    })
  }

  test('that do not exist are found', () => {
    const lines = ['exec -T postgress pg_dump x', 'run --rm headrace x', 'up -d --wait api web']
    const text = `\`\`\`sh\n${lines.map((line) => `docker compose ${line}`).join('\n')}\n\`\`\`\n`
    assert.deepEqual(findUnknownServices({ path: 'x.md', text }), ['postgress', 'web'])
  })
})
