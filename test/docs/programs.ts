import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { releaseFiles } from '../../package/release-files.ts'
import { ROOT } from '../suites.ts'
import { readFile, targetExists } from './pages.ts'
import { programOf, splitWords } from './shell.ts'

type Manifest = { readonly version: string; readonly scripts: Readonly<Record<string, string>> }
const MANIFEST = JSON.parse(readFile('package.json')) as Manifest

/** What is wrong with a command that our own `headrace` does not parse, as far as we can know. */
export function findMistakes(command: string): string[] {
  const words = splitWords(command)
  const check = CHECKS[programOf(command)]
  return [...(check?.(words) ?? []), ...words.flatMap(findUnknownFile)]
}

const CHECKS: Readonly<Record<string, (words: readonly string[]) => string[]>> = {
  curl: checkCurl,
  jq: checkJq,
  grep: checkMetric,
  journalctl: checkUnits,
  systemctl: checkUnits,
  npm: checkNpm,
  npx: ([, program, file = '']) =>
    program === 'node' && !targetExists(file) ? [`${file} does not exist`] : [],
}

/** Whether commands of this program are compared with what the service and its files have. */
export const isChecked = (program: string) => Object.hasOwn(CHECKS, program)

type Document = { readonly paths: Readonly<Record<string, object>> }
const routesOf = (file: string, prefix: string) =>
  Object.entries((JSON.parse(readFile(file)) as Document).paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${prefix}${path}`),
  )
const ROUTES = [
  ...routesOf('openapi/api.json', '/compat/v1'),
  ...routesOf('openapi/management.json', ''),
  ...[...readFile('src/http/health.ts').matchAll(/request\.url === '(\/\w+)'/g)].map(
    ([, path]) => `GET ${path}`,
  ),
]
/** These addresses are of the engines, and of the gateways that people move from. */
const NOT_OURS = /ENGINE|LITELLM/
const ADDRESS = /^(?:https?:\/\/)?(?:[\w.-]+(?::\d+)?|\$[A-Z]+|INSTANCE)(\/[^?]*)(?:\?.*)?$/

function checkCurl(words: readonly string[]): string[] {
  const valueOf = (...names: readonly string[]) =>
    words[words.findIndex((word) => names.includes(word)) + 1] ?? ''
  const hasBody = words.some((word) => word === '-d' || word === '--data')
  const body = hasBody ? valueOf('-d', '--data') : '{}'
  const method = words.includes('-X') ? valueOf('-X') : hasBody ? 'POST' : 'GET'
  const paths = words
    .filter((word) => !NOT_OURS.test(word) && !word.startsWith('-'))
    .flatMap((word) => ADDRESS.exec(word)?.[1] ?? [])
  return [
    ...paths.filter((path) => !isRoute(`${method} ${path}`)).map((path) => `no route ${path}`),
    ...(isJson(body) ? [] : [`not JSON: ${body}`]),
  ]
}

function isRoute(asked: string): boolean {
  const parts = asked.split('/')
  return ROUTES.some((route) => {
    const known = route.split('/')
    const isSame = (part: string, at: number) => part === parts[at] || part.startsWith('{')
    return known.length === parts.length && known.every(isSame)
  })
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const listed = (page: string, name: string) => readFile(page).includes(`\`${name}`)

function checkJq(words: readonly string[]): string[] {
  return [...words.join(' ').matchAll(/\.msg == "([^"]+)"/g)]
    .map(([, message = '']) => message)
    .filter((message) => !listed('docs/operating/log-messages.md', message))
    .map((message) => `no log message ${message}`)
}

function checkMetric(words: readonly string[]): string[] {
  return words
    .filter((word) => word.startsWith('headrace_'))
    .filter((name) => !listed('docs/operating/health-and-metrics.md', name))
    .map((name) => `no metric ${name}`)
}

const UNITS = globSync('deploy/systemd/*.service', { cwd: ROOT }).map((path) =>
  basename(path, '.service'),
)

function checkUnits(words: readonly string[]): string[] {
  const names = words.filter((word) => word.startsWith('headrace'))
  return names.filter((name) => !UNITS.includes(name)).map((name) => `no unit ${name}`)
}

/** Options and files after `--`, or a folder with a package of its own after `--prefix`. */
function checkNpm(words: readonly string[]): string[] {
  const at = words.indexOf('--')
  const prefix = words[words.indexOf('--prefix') + 1] ?? ''
  if (words.includes('--prefix'))
    return targetExists(`${prefix}/package.json`) ? [] : [`no package in ${prefix}`]
  if (at < 0) return []
  const name =
    words[1] === 'run' ? words.slice(2, at).find((word) => !word.startsWith('-')) : 'test'
  const given = words.slice(at + 1)
  const source = readSources(name ?? '', given[0] ?? '')
  const options = given.filter((word) => word.startsWith('--')).map((word) => word.slice(2))
  const files = given.filter((word) => word.endsWith('.ts'))
  return [
    ...options.filter((option) => !readsOption(source, option)).map((option) => `no --${option}`),
    ...files.filter((file) => !targetExists(file)).map((file) => `${file} does not exist`),
  ]
}

/** The program of a script of npm; of a proof also its own files. */
function readSources(script: string, proof: string): string {
  const [, path] = /node (?:--\S+ )*(\S+\.ts)/.exec(MANIFEST.scripts[script] ?? '') ?? []
  const ofProof = ['test/harness/proof.ts', `test/prove/${proof}{.ts,/**/*.ts}`]
  const files = globSync([path ?? '', ...(script === 'prove' ? ofProof : [])], { cwd: ROOT })
  return files.map(readFile).join('\n')
}

function readsOption(source: string, option: string): boolean {
  return new RegExp(`--${option}\\b|\\b${option}'?: \\{`).test(source)
}

const FILES = releaseFiles(MANIFEST.version)

/** A file with the version in its name is one that the release has. */
function findUnknownFile(word: string): string[] {
  const [name] = /headrace[-_][\w.-]*\d\.\d\.\d[\w.-]*\.(?:tgz|gz|deb|json)$/.exec(word) ?? []
  const file = name?.replace(/\.sigstore\.json$/, '')
  return file === undefined || FILES.includes(file) ? [] : [`the release has no file ${file}`]
}
