import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, posix, resolve } from 'node:path'
import { describe, test } from 'node:test'

import { BAD_SOURCES, BAD_TEXTS, GOOD_SOURCES, GOOD_TEXTS } from './tidy/examples.ts'
import { MAY_IMPORT } from './tidy/modules.ts'
import { SOURCE_RULES } from './tidy/source-rules.ts'
import { parseSource, readText, type Violation } from './tidy/source.ts'
import { textRules } from './tidy/text-rules.ts'

const ROOT = resolve(import.meta.dirname, '..')
const SOURCE_FOLDERS = [
  'src/',
  'test/',
  'stack/',
  'openapi/',
  'docs/',
  'bench/',
  'web/',
  'package/',
  'site/',
  'deploy/',
]
/** Written by a program, or in the form that a program asks for. */
const NOT_OURS = new Set([
  'web/src/api/routes.ts',
  'web/vite.config.ts',
  'test/runner/test-process.ts',
])
const TEXT_RULES = textRules(ROOT)

/** More than a newcomer can take in at a glance. */
const FOLDER_FILES_MAX = 24
/** A request is one function that can be read aloud. */
const REQUEST_FUNCTION_LINES_MAX = 40

/** Where the examples pretend to stand, so that the rule about checkouts can be shown too. */
const EXAMPLE_ROOT = '/srv/checkout'

function listFiles(): string[] {
  // What is about to be added counts like what is tracked: a rule must bite before the commit.
  const command = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const output = execFileSync('git', command, { cwd: ROOT, encoding: 'utf8' })
  const paths = new Set(output.split('\0').filter((path) => path !== ''))
  return [...paths].filter((path) => existsSync(join(ROOT, path))).toSorted()
}

function isSource(path: string): boolean {
  if (NOT_OURS.has(path)) return false
  return /\.tsx?$/.test(path) && SOURCE_FOLDERS.some((folder) => path.startsWith(folder))
}

function checkText(path: string, text: string, rules = TEXT_RULES): Map<string, Violation[]> {
  const file = readText(path, text)
  const applying = rules.filter((rule) => rule.appliesTo(path))
  return new Map(applying.map((rule) => [rule.name, [...rule.find(file)]]))
}

function checkSource(path: string, text: string): Map<string, Violation[]> {
  const source = parseSource(path, text)
  return new Map(SOURCE_RULES.map((rule) => [rule.name, [...rule.find(source)]]))
}

function describeViolations(
  path: string,
  findings: ReadonlyMap<string, readonly Violation[]>,
): string[] {
  return [...findings].flatMap(([rule, violations]) =>
    violations.map(({ line, message }) => `${path}:${line} ${message} (${rule})`),
  )
}

describe('the rules themselves', () => {
  const exampleRules = textRules(EXAMPLE_ROOT)

  for (const { rule, path, text } of BAD_SOURCES) {
    test(`reported as "${rule}": ${path} ${text.trim().split('\n')[0]?.slice(0, 50)}`, () => {
      const violations = checkSource(path, text).get(rule)
      assert.ok(violations && violations.length > 0, 'the rule saw nothing')
    })
  }

  for (const { rule, path, text } of BAD_TEXTS) {
    test(`reported as "${rule}": ${path} ${text.split('\n')[0]?.slice(0, 50)}`, () => {
      const violations = checkText(path, text, exampleRules).get(rule)
      assert.ok(violations && violations.length > 0, 'the rule saw nothing')
    })
  }

  for (const { path, text } of GOOD_SOURCES) {
    test(`accepted: ${path} ${text.split('\n')[0]?.slice(0, 60)}`, () => {
      assert.deepEqual(describeViolations(path, checkSource(path, text)), [])
    })
  }

  for (const { path, text } of GOOD_TEXTS) {
    test(`accepted: ${path} ${text.split('\n')[0]?.slice(0, 60)}`, () => {
      assert.deepEqual(describeViolations(path, checkText(path, text, exampleRules)), [])
    })
  }

  test('every rule has an example it must report', () => {
    const shown = new Set([...BAD_SOURCES, ...BAD_TEXTS].map(({ rule }) => rule))
    const rules = [...SOURCE_RULES, ...TEXT_RULES].map(({ name }) => name)
    assert.deepEqual([...shown].toSorted(), rules.toSorted())
  })

  test('the modules stand above one another: no import may lead back up', () => {
    const reaches = (from: string, goal: string): boolean =>
      (MAY_IMPORT[from] ?? []).some((module) => module === goal || reaches(module, goal))
    for (const module of Object.keys(MAY_IMPORT)) {
      assert.ok(!reaches(module, module), `${module} can reach itself`)
    }
  })

  test('a line is reported where it stands', () => {
    const violations = checkSource('src/lib/a.ts', `\n\nimport '../tenancy/a.ts'\n`)
    const message = 'src/lib/a.ts:3 lib may not import tenancy (imports go down only)'
    assert.deepEqual(describeViolations('src/lib/a.ts', violations), [message])
  })
})

describe('the files', () => {
  const paths = listFiles()

  test('the walk finds the sources and this file', () => {
    assert.ok(paths.includes('test/tidy.test.ts'))
    assert.ok(paths.some((path) => path.startsWith('src/') && isSource(path)))
  })

  test(`no folder under src/ has more than ${FOLDER_FILES_MAX} source files`, () => {
    const sources = paths.filter((path) => path.startsWith('src/') && !path.includes('.test.'))
    const folders = Object.entries(Object.groupBy(sources, (path) => posix.dirname(path)))
    const crowded = folders.filter(([, files = []]) => files.length > FOLDER_FILES_MAX)
    assert.deepEqual(crowded, [])
  })

  test(`the request function has at most ${REQUEST_FUNCTION_LINES_MAX} lines`, () => {
    const path = 'src/inference/chat-completion.ts'
    const { functions } = parseSource(path, readFileSync(join(ROOT, path), 'utf8'))
    const found = functions.find(({ name }) => name === 'chatCompletion')
    assert.ok(found && found.lineCount <= REQUEST_FUNCTION_LINES_MAX, `${found?.lineCount}`)
  })

  for (const path of paths) {
    test(`keeps the house rules: ${path}`, () => {
      const bytes = readFileSync(join(ROOT, path))
      const text = bytes.includes(0) ? '' : bytes.toString('utf8')
      const violations = describeViolations(path, checkText(path, text))
      if (isSource(path)) violations.push(...describeViolations(path, checkSource(path, text)))
      assert.ok(violations.length === 0, `\n${violations.join('\n')}`)
    })
  }
})
