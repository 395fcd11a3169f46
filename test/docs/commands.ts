import { CommanderError, type Argument, type Command, type Option } from 'commander'
import { createProgram } from '../../src/cli/program.ts'

/** What a reader types in front of the command, in each way to install it. */
const PREFIXES = [
  /^headrace(?= |$)/,
  /^npx (?:--package \S+ )?headrace(?= |$)/,
  /^npm run (?:-s |--silent )?headrace --(?= |$)/,
  /^(?:node )?(?:\S*\/)?(?:src\/main\.ts|dist\/main\.js)(?= |$)/,
  /^docker compose run --rm headrace(?= |$)/,
  /^docker compose exec (?:-T )?(?:api|worker|console) node \/app\/dist\/main\.js(?= |$)/,
  /^kubectl exec .*? -- node \/app\/dist\/main\.js(?= |$)/,
]
/** The image has no `headrace` in its PATH. */
const IN_CONTAINER = /^(?:kubectl exec .*? --|docker compose exec (?:-T )?\S+) headrace(?= |$)/
const WRAPPERS = /^(?:\$ |sudo (?:-u \S+ )?|exec |watch |\w+=\S* )+/

/** The commands of a line of shell, without comments. */
export function splitLine(line: string): string[] {
  const [code = ''] = line.split(/(?:^|\s)#\s/)
  return code
    .split(/\s(?:&&|\|\||\||;)\s|;\s|\s&$/)
    .map((part) => part.trim().replace(WRAPPERS, ''))
    .filter((part) => part !== '' && !part.startsWith('headrace()'))
}

/** The words after `headrace`, or undefined if this is not a command of ours. */
export function readArguments(command: string): string[] | undefined {
  const prefix = PREFIXES.find((each) => each.test(command))
  if (prefix === undefined) return undefined
  const words = command.replace(prefix, '').matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)
  return Array.from(words, ([, double, single, bare]) => double ?? single ?? bare ?? '')
}

/** What is wrong with a command, as commander says it; undefined if it can be run as written. */
export function findMistake(command: string): string | undefined {
  if (IN_CONTAINER.test(command)) return 'the image has no `headrace`: use node /app/dist/main.js'
  const words = readArguments(command)
  if (words === undefined) return undefined
  // After an option it is a value; elsewhere it stands for what was left out.
  const given = words.filter((word, at) => word !== '…' || words[at - 1]?.startsWith('--'))
  const isCut = given.length < words.length
  const program = prepare(createProgram(), isCut)
  try {
    program.parse(given, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 || error.code === 'commander.help' ? undefined : error.message
  }
  return undefined
}

/** A name without anything after it speaks of a command; it need not be complete. */
export function isMention(command: string): boolean {
  const words = readArguments(command) ?? []
  return words.length <= 2 && words.every((word) => /^[a-z][a-z-]*$/.test(word))
}

/** Commands then do nothing, take placeholders as values, and throw what they would print. */
function prepare(command: Command, isCut: boolean): Command {
  command.exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} })
  if (command.parent !== null) command.action(() => {})
  for (const option of command.options) {
    acceptPlaceholders(option)
    if (isCut) option.mandatory = false
  }
  for (const argument of command.registeredArguments) {
    acceptPlaceholders(argument)
    if (isCut) argument.required = false
  }
  for (const each of command.commands) prepare(each, isCut)
  return command
}

function acceptPlaceholders(taker: Option | Argument): void {
  const parse = taker.parseArg
  if (parse === undefined) return
  taker.parseArg = <T>(value: string, previous: T) =>
    (isPlaceholder(value) ? value : parse.call(taker, value, previous)) as T
}

function isPlaceholder(word: string): boolean {
  return /^[A-Z][A-Z0-9_-]*$|^<.*>$|[$…]/.test(word)
}
