import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { posix, resolve } from 'node:path'
import { describe, test } from 'node:test'

const WEB = resolve(import.meta.dirname, '../web/src')
/** From wide to narrow. The pixel after a width is written `.01rem`. */
const WIDTHS = new Set(['87rem', '68rem', '52rem', '52.01rem'])
const CLASS = /\.([a-zA-Z][\w-]*)/g
const GLOBAL = /:global\(([^)]*)\)/g
const RULE = /([^{};]+)\{/g

type File = { readonly path: string; readonly text: string }
type Sheet = File & { readonly selectors: readonly string[] }

const read = (pattern: string): File[] =>
  globSync(pattern, { cwd: WEB })
    .toSorted()
    .map((path) => ({ path, text: readFileSync(resolve(WEB, path), 'utf8') }))

/** The selectors of a sheet, without those of keyframes and the conditions of `@media`. */
function readSheet({ path, text }: File): Sheet {
  const bare = text.replaceAll(/\/\*[^]*?\*\//g, '').replaceAll(/@keyframes[^]*?\}\s*\}/g, '')
  const selectors = [...bare.matchAll(RULE)]
    .map(([, selector = '']) => selector.trim())
    .filter((selector) => !selector.startsWith('@'))
    .flatMap(splitList)
  return { path, text, selectors: selectors.map((each) => each.trim()) }
}

/** The selectors of a list. Commas in parentheses belong to a selector. */
function splitList(list: string): string[] {
  let depth = 0
  const parts = ['']
  for (const letter of list) {
    if (letter === '(') depth += 1
    if (letter === ')') depth -= 1
    if (letter === ',' && depth === 0) parts.push('')
    else parts.push(`${parts.pop()}${letter}`)
  }
  return parts
}

const classesIn = (selector: string): string[] =>
  [...selector.matchAll(CLASS)].map(([, name = '']) => name)

const sources = read('**/*.{ts,tsx}')
const sheets = read('**/*.css').map(readSheet)
const modules = sheets.filter(({ path }) => path.endsWith('.module.css'))
const shared = sheets.filter(({ path }) => path.startsWith('styles/'))
const globals = new Set(shared.flatMap(({ selectors }) => selectors.flatMap(classesIn)))

/** The classes of a module that the files which import it name: `styles.row`. */
function usedOf({ path }: File): Set<string> {
  const used = sources.flatMap((source) =>
    [...source.text.matchAll(/import (\w+) from '([^']+\.module\.css)'/g)]
      .filter(([, , from = '']) => posix.join(posix.dirname(source.path), from) === path)
      .flatMap(([, name = '']) => [...source.text.matchAll(RegExp(`\\b${name}\\.(\\w+)`, 'g'))])
      .map(([, name = '']) => name),
  )
  return new Set(used)
}

describe('styles of the web app', () => {
  test('there are modules and shared sheets', () => {
    assert.ok(modules.length >= 15 && shared.length >= 8)
  })

  test('only main.tsx imports a sheet that is not a module', () => {
    const found = sources
      .filter(({ path, text }) => path !== 'main.tsx' && /(?<!\.module)\.css['"]/.test(text))
      .map(({ path }) => path)
    assert.deepEqual(found, [])
  })

  test('every selector of a module names a class of that module', () => {
    const found = modules.flatMap(({ path, selectors }) =>
      selectors
        .filter((selector) => classesIn(selector.replaceAll(GLOBAL, '')).length === 0)
        .map((selector) => `${path}: ${selector}`),
    )
    assert.deepEqual(found, [])
  })

  test('a module uses the classes of the shared sheets and does not define them again', () => {
    const found = modules.flatMap(({ path, selectors }) => {
      const own = selectors.flatMap((each) => classesIn(each.replaceAll(GLOBAL, '')))
      const foreign = selectors.flatMap((selector) =>
        [...selector.matchAll(GLOBAL)].flatMap(([, inner = '']) => classesIn(inner)),
      )
      return [
        ...own.filter((name) => globals.has(name)).map((name) => `${path} defines ${name}`),
        ...foreign.filter((name) => !globals.has(name)).map((name) => `${path} lacks ${name}`),
      ]
    })
    assert.deepEqual(found, [])
  })

  test('every class of a module has a user, and every used class exists', () => {
    const found = modules.flatMap((sheet) => {
      const own = sheet.selectors.flatMap((each) => classesIn(each.replaceAll(GLOBAL, '')))
      const defined = new Set(own)
      const used = usedOf(sheet)
      return [
        ...[...defined.difference(used)].map((name) => `${sheet.path}: nobody uses ${name}`),
        ...[...used.difference(defined)].map((name) => `${sheet.path}: ${name} does not exist`),
      ]
    })
    assert.deepEqual(found, [])
  })

  test('every class of the shared sheets has a user', () => {
    const literals = sources
      .filter(({ path }) => !path.startsWith('words/'))
      .flatMap(({ text }) => [...text.matchAll(/(['"`])((?:(?!\1)[^\n])*)\1/g)])
      .flatMap(([, , text = '']) => text.split(/[\s'"`${}]+/))
    const used = new Set(literals)
    assert.deepEqual([...globals.difference(used)], [])
  })

  test('there are three widths at which pages change', () => {
    const found = sheets.flatMap(({ path, text }) =>
      [...text.matchAll(/-width: ([\d.]+\w+)\)/g)]
        .map(([, width = '']) => width)
        .filter((width) => !WIDTHS.has(width))
        .map((width) => `${path}: ${width}`),
    )
    assert.deepEqual(found, [])
  })
})
