// Prints every text that users and operators read, to be read aloud: npm run texts
import type { Command } from 'commander'
import { createProgram } from '../src/cli/program.ts'
import type { SchemaNode } from '../src/config/schema-nodes.ts'
import { ConfigSchema } from '../src/config/schema.ts'
import { ERRORS } from '../src/contract/error.ts'
import { readErrorMessages, readLogMessages, readOtherTexts } from './read-texts.ts'

function listCommand(command: Command, name: string): string[] {
  const usage = [name, ...command.registeredArguments.map((argument) => `<${argument.name()}>`)]
  return [
    `${usage.join(' ')}: ${command.description()}`,
    ...command.options.map(({ flags, description }) => `  ${flags}: ${description}`),
    ...command.commands.flatMap((child) => listCommand(child, `${name} ${child.name()}`)),
  ]
}

function listSettings(schema: SchemaNode, path: string): string[] {
  const entries = [
    ...Object.entries(schema.properties ?? {}).map(([key, node]) => [`${path}.${key}`, node]),
    ...Object.values(schema.patternProperties ?? {}).map((node) => [`${path}.<name>`, node]),
    ...(schema.items ? [[`${path}[]`, schema.items]] : []),
  ] as [string, SchemaNode][]
  return [
    `${path.slice(1)}: ${schema.description ?? ''} (must be ${schema.expected})`,
    ...entries.flatMap(([name, node]) => listSettings(node, name)),
  ]
}

function print(title: string, lines: readonly string[]): void {
  console.log(`\n## ${title}\n`)
  for (const line of lines) console.log(line)
}

const logMessages = readLogMessages()
const errors = readErrorMessages((name) => Object.hasOwn(ERRORS, name))
print(
  'Log messages',
  logMessages.map(({ level, message, fields, paths }) => {
    return `${level}: ${message} {${fields.join(', ')}} (${paths.join(', ')})`
  }),
)
print(
  'Error messages',
  errors.map(({ kind, message, path }) => `${kind}: ${message} (${path})`),
)
const commands = listCommand(createProgram(), 'headrace')
const settings = listSettings(ConfigSchema as object, '')
print('Commands', commands)
print('Settings', settings)
const listed = [...commands, ...settings].join('\n')
const others = readOtherTexts(new Set([...logMessages, ...errors].map(({ message }) => message)))
print(
  'Other texts',
  others.filter(({ text }) => !listed.includes(text)).map(({ path, text }) => `${path}: ${text}`),
)
