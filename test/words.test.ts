import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { LANGUAGES } from '../src/contract/language.ts'
import { findTexts } from './words/find-texts.ts'
import { SAME_IN } from './words/same-texts.ts'

const WEB = resolve(import.meta.dirname, '../web/src')
const WORDS = resolve(WEB, 'words')
/** Modules of `words/` that hold no text, so that every language uses the same. */
const WITHOUT_TEXTS = new Set([
  'action-names.ts',
  'counted.ts',
  'operator-action-names.ts',
  'translated.ts',
])

/** The English console shows the sentences of the API. */
const ONLY_TRANSLATED = /^errors\.(byCode|fields)\./

const files = globSync('*.ts', { cwd: WORDS }).filter((name) => !WITHOUT_TEXTS.has(name))
const translations = LANGUAGES.filter((language) => language !== 'en')

/** Every text with its path: `keys.columns.name`. Functions are named, and not called. */
function textsOf(value: unknown, path: string): Map<string, string | null> {
  if (typeof value === 'string') return new Map([[path, value]])
  if (typeof value === 'function') return new Map([[path, null]])
  if (value === null) return new Map()
  const found = new Map<string, string | null>()
  for (const [name, member] of Object.entries(value as object))
    for (const entry of textsOf(member, `${path}.${name}`)) found.set(...entry)
  return found
}

async function readWords(path: string): Promise<Map<string, string | null>> {
  const module = (await import(resolve(WORDS, path))) as object
  return textsOf(module, basename(path, '.ts'))
}

for (const language of translations)
  describe(language, () => {
    test('every file of words is translated, and there is no other', () => {
      const own = globSync('*.ts', { cwd: resolve(WORDS, language) })
      assert.deepEqual(own.toSorted(), files.toSorted())
    })

    for (const file of files)
      test(`${file}: every text is there, in this language`, async () => {
        const english = await readWords(file)
        const own = await readWords(`${language}/${file}`)
        const named = [...own.keys()].filter((path) => !ONLY_TRANSLATED.test(path))
        assert.deepEqual(named.toSorted(), [...english.keys()].toSorted())
        const same = SAME_IN[language]
        const left = [...own].filter(
          ([path, text]) =>
            text !== null && text === english.get(path) && !same.has(text) && /\p{L}/u.test(text),
        )
        assert.deepEqual(left, [], 'is English, and not one of the terms in same-texts.ts')
      })

    test('a sentence has the slots of the English one', async () => {
      for (const file of files) {
        const own = await readWords(`${language}/${file}`)
        for (const [path, text] of await readWords(file))
          if (text !== null) assert.deepEqual(slotsOf(own.get(path) ?? ''), slotsOf(text), path)
      }
    })
  })

function slotsOf(text: string): string[] {
  return [...text.matchAll(/\{\w+\}/g)].map(([slot]) => slot).toSorted()
}

describe('texts of pages', () => {
  test('every text has a reader', async () => {
    const paths = globSync('**/*.{ts,tsx}', { cwd: WEB })
    const sources = paths.map((path) => {
      const source = readFileSync(resolve(WEB, path), 'utf8')
      // In words/ a text is read by another one, as a member.
      return path.startsWith('words/') ? source.replaceAll(/^\s*\w+:/gm, '') : source
    })
    const named = new Set(sources.join('\n').match(/\w+/g))
    const texts = (await Promise.all(files.map(readWords))).flatMap((words) => [...words.keys()])
    const isRead = (path: string) => {
      const name = path.split('.').at(-1) ?? ''
      // Values of the API, with their underscores, and places in a list are looked up.
      return named.has(name) || !/^[a-z]+([A-Z][a-z]*)*$/.test(name)
    }
    assert.deepEqual(
      texts.filter((path) => !isRead(path)),
      [],
    )
  })

  test('every text that people read is in words/', () => {
    const paths = globSync('{pages,parts,shell,routes}/**/*.{ts,tsx}', { cwd: WEB })
    const found = paths
      .filter((path) => !path.endsWith('.test.ts'))
      .flatMap((path) =>
        findTexts(path, readFileSync(resolve(WEB, path), 'utf8')).map(
          ({ line, text }) => `${path}:${line} ${text}`,
        ),
      )
    assert.deepEqual(found, [])
  })

  for (const [source, expected] of [
    ['<p>Not found</p>', ['Not found']],
    ['<p>{`${count} keys`}</p>', ['? keys']],
    ['<p>{isOpen ? "Open" : words.closed}</p>', ['Open']],
    ['<a aria-label="Close the menu" />', ['Close the menu']],
    ['<a title={`Key ${name}`} />', ['Key ?']],
    ['<Page title={isNew && "New key"} />', ['New key']],
    ['<p className="grow" id="x">{words.text} · {count} %</p>', []],
    ['<code>{"POST /v1"}</code>', []],
  ] as const)
    test(`${source}: ${expected.length === 0 ? 'no text' : expected.join()}`, () => {
      const texts = findTexts('page.tsx', `const page = ${source}`).map(({ text }) => text)
      assert.deepEqual(texts, expected)
    })
})
