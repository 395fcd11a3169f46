import { posix } from 'node:path'

import type { Violation, TextFile } from './source.ts'

export type TextRule = {
  readonly name: string
  readonly appliesTo: (path: string) => boolean
  readonly find: (file: TextFile) => readonly Violation[]
}

const FILE_LINES_MAX = 300
const COLUMNS_MAX = 100

/** Names that say nothing about what is inside, and so collect everything. */
const EMPTY_NAMES = new Set(
  ['util', 'helper', 'manager', 'common', 'misc'].flatMap((name) => [name, `${name}s`]),
)
const BARREL = /^index\.[cm]?[jt]s$/

/** Package sources by host: which mirror a machine uses is the machine's business. */
const PACKAGE_HOSTS = new RegExp(
  [
    String.raw`registry\.(npmjs|yarnpkg)\.`,
    String.raw`npm\.pkg\.github\.com`,
    String.raw`(deb|security|snapshot|ftp)\.[\w.]*debian\.org`,
    String.raw`(archive|security)\.ubuntu\.com`,
    String.raw`(pypi\.org|pythonhosted\.org)`,
    String.raw`"resolved":\s*"https?:`,
    String.raw`^\s*(@[\w-]+:)?registry\s*=`,
  ].join('|'),
)

const HOME_FOLDER = /(?<![\w.~-])\/(home|Users)\/[\w.-]+|(?<![\w.~-])\/root\/[\w.-]+/
const NEIGHBOUR_FOLDER = /\.\.\/shared\b/

/** PostgreSQL of a value, or JavaScript: they differ outside ASCII. */
const OTHER_LOWER_CASE = /email.*\blower\(\$\{|\blower\(\$\{\w*email|email\.toLowerCase\(/i

/** Functions of PostgreSQL that came after 16, the oldest that we promise to run on. */
const NEWER_SQL =
  /\b(uuidv[47]|uuid_extract_\w+|json_table|casefold|array_(sort|reverse)|crc32c)\s?\(/

const CODE = /\.(tsx?|lua|sql)$/
const HEADED = /\.(lua|sql)$/
const TASK_FILES = /\.(lua|sql|sh|ya?ml)$/

/** The rules that read a file as text; `root` is where the checkout stands on this machine. */
export function textRules(root: string): readonly TextRule[] {
  return [
    {
      name: `a file has at most ${FILE_LINES_MAX} lines`,
      appliesTo: isOurCode,
      find: ({ lines }) =>
        lines.length > FILE_LINES_MAX
          ? [{ line: FILE_LINES_MAX + 1, message: `has ${lines.length} lines` }]
          : [],
    },
    {
      name: `a line has at most ${COLUMNS_MAX} columns`,
      appliesTo: isOurCode,
      find: ({ lines }) =>
        onLines(lines, (line) => {
          // Code points, because a reader sees one column where UTF-16 may count two.
          const columns = Array.from(line).length
          return columns > COLUMNS_MAX ? `has ${columns} columns` : null
        }),
    },
    {
      name: 'a name says what is inside',
      appliesTo: isOurs,
      find: ({ path }) => {
        const segments = path.split('/').map((segment) => segment.replace(/\..*$/, ''))
        const empty = segments.find((segment) => EMPTY_NAMES.has(segment.toLowerCase()))
        if (empty !== undefined) return [{ line: 1, message: `is named ${empty}` }]
        return BARREL.test(posix.basename(path)) ? [{ line: 1, message: 'is an index file' }] : []
      },
    },
    {
      name: 'a Lua or SQL file opens with its header comment',
      appliesTo: (path) => isOurs(path) && HEADED.test(path),
      find: ({ lines }) => {
        const opening = lines[0]?.startsWith('#!') ? lines[1] : lines[0]
        return opening && /^--.*\S/.test(opening)
          ? []
          : [{ line: 1, message: 'has no header of keys, arguments and results' }]
      },
    },
    {
      name: 'an open task names its issue, outside TypeScript too',
      appliesTo: (path) => isOurs(path) && TASK_FILES.test(path),
      find: ({ lines }) =>
        onLines(lines, (line) =>
          /\b(TODO|FIXME)\b(?!.*#\d)/.test(line) ? 'an open task without an issue number' : null,
        ),
    },
    {
      name: 'only normalEmail changes the case of an email address',
      appliesTo: (path) => /^(web\/)?src\/.*\.tsx?$/.test(path) && !path.includes('.test.'),
      find: ({ lines }) =>
        onLines(lines, (line) =>
          OTHER_LOWER_CASE.test(line) ? 'has its own lower case of an email address' : null,
        ),
    },
    {
      name: 'SQL uses no function that PostgreSQL 16 lacks',
      appliesTo: (path) => /^(src\/store|migrations)\//.test(path) && !path.includes('.test.'),
      find: ({ lines }) =>
        onLines(lines, (line) => (NEWER_SQL.test(line) ? 'calls a newer function' : null)),
    },
    {
      name: 'no file knows the machine it was written on',
      appliesTo: () => true,
      find: ({ lines }) => onLines(lines, (line) => findMachine(line, root)),
    },
  ]
}

function findMachine(line: string, root: string): string | null {
  if (HOME_FOLDER.test(line)) return 'names a home folder'
  if (NEIGHBOUR_FOLDER.test(line)) return 'names a folder beside the checkout'
  if (PACKAGE_HOSTS.test(line)) return 'names where packages come from'
  // A checkout at the top of a disk has too short a path to tell it from an ordinary word.
  const tellsTheMachine = root.split('/').length > 2 && line.includes(`${root}/`)
  return tellsTheMachine ? 'names the folder of this checkout' : null
}

function onLines(lines: readonly string[], judge: (line: string) => string | null): Violation[] {
  return lines.flatMap((text, index) => {
    const message = judge(text)
    return message === null ? [] : [{ line: index + 1, message }]
  })
}

function isOurCode(path: string): boolean {
  // Written by web/generate-routes.ts.
  if (path === 'web/src/api/routes.ts') return false
  return isOurs(path) && CODE.test(path)
}

/** The demo model came with its own files; they keep their shape. */
function isOurs(path: string): boolean {
  return !path.startsWith('demo-model/')
}
