import { readArguments, splitLine } from './commands.ts'
import { readFencedLines, readInlineCode, type Page } from './pages.ts'

/** Words of the shell that stand before a command on its line. */
const BEFORE = /^(?:do|then|else) /
/** An assignment, the text of a here-document or its end. */
const NO_COMMAND = /^(?:[A-Za-z_]+=|EOF$)/

/** The commands of a line, with those in `$(…)` apart. */
function splitCommands(line: string): string[] {
  const inner = Array.from(line.matchAll(/\$\(([^()]*)\)/g), ([, command = '']) => command)
  const outer = line.replaceAll(/\$\([^()]*\)/g, 'VALUE').replaceAll('"VALUE"', 'VALUE')
  return [...(NO_COMMAND.test(outer) ? [] : splitLine(outer)), ...inner.flatMap(splitLine)]
    .map((command) => command.replace(BEFORE, ''))
    .filter((command) => readArguments(command) === undefined)
}

/** Without the texts of here-documents, which are files and not commands. */
function withoutDocuments(lines: readonly string[]): string[] {
  let isText = false
  return lines.filter((line) => {
    const wasText = isText
    if (/<<-?'?EOF/.test(line)) isText = true
    if (line === 'EOF') isText = false
    return !wasText
  })
}

/** Commands that our own program does not parse: all of shell blocks. */
export function readFencedCommands({ text }: Page): string[] {
  return withoutDocuments(readFencedLines(text, 'sh')).flatMap(splitCommands)
}

/** Code in prose that begins with one of the programs and says more than its name. */
export function readInlineCommands({ text }: Page, isProgram: (name: string) => boolean): string[] {
  return readInlineCode(text)
    .filter((code) => code.includes(' ') && isProgram(programOf(code)))
    .flatMap(splitCommands)
}

export function programOf(command: string): string {
  return command.split(/\s/)[0] ?? ''
}

/** The words of a command, without the quotes around them. */
export function splitWords(command: string): string[] {
  const words = command.matchAll(/"((?:\\.|[^"\\])*)"|'([^']*)'|(\S+)/g)
  return Array.from(words, ([, double, single, bare]) => double ?? single ?? bare ?? '')
}
