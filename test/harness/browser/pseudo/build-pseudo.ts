import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseSync } from 'oxc-parser'

const WEB = resolve(import.meta.dirname, '../../../../web')
const WORDS = join(WEB, 'src/words')
const TEXT = resolve(import.meta.dirname, 'pseudo-text.ts')

/** Modules that hold no text, or must stay as they are: the type, and what makes plurals. */
const NOT_TEXTS = new Set([
  'action-names.ts',
  'counted.ts',
  'operator-action-names.ts',
  'translated.ts',
])
const LANGUAGE = `export const language = {
  code: 'qps', locale: 'en', dir: 'rtl', description: 'Pseudo-language',
}\n`

/**
 * Builds the web app in a language that is made from English: accented, 40 % longer, and from
 * right to left. Nobody can choose it.
 */
export function buildPseudo(): Disposable & { readonly folder: string } {
  const made = mkdtempSync(join(tmpdir(), 'headrace-qps-'))
  const [words, folder] = [join(made, 'words'), join(made, 'dist')]
  mkdirSync(words)
  for (const name of globSync('*.ts', { cwd: WORDS })) {
    if (NOT_TEXTS.has(name)) continue
    const text = name === 'language.ts' ? LANGUAGE : moduleOf(name)
    writeFileSync(join(words, name), text)
  }
  execFileSync(process.execPath, ['build.ts', '--words', words, '--out', folder], { cwd: WEB })
  return { folder, [Symbol.dispose]: () => rmSync(made, { recursive: true, force: true }) }
}

/** A module with the exports of the English one, in the pseudo-language. */
function moduleOf(name: string): string {
  const path = join(WORDS, name)
  const exports = parseSync(path, readFileSync(path, 'utf8')).module.staticExports
  const names = exports
    .flatMap(({ entries }) => entries.filter(({ isType }) => !isType))
    .map(({ exportName }) => exportName.name)
  return [
    `import * as english from '${path}'`,
    `import { pseudoWords } from '${TEXT}'`,
    ...names.map((each) => `export const ${each} = pseudoWords(english.${each})`),
    '',
  ].join('\n')
}
