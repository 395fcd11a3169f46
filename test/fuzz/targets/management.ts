import assert from 'node:assert/strict'
import type { TObject } from 'typebox'
import { checkValue } from '../../../src/contract/check-value.ts'
import { ApiError } from '../../../src/contract/error.ts'
import { parseJson } from '../../../src/lib/parse-json.ts'
import { createMatcher } from '../../../src/platform/api/match-route.ts'
import { readQuery } from '../../../src/platform/api/read-input.ts'
import type { Route } from '../../../src/platform/api/route.ts'
import { ROUTES } from '../../../src/platform/api/routes.ts'
import type { Random } from '../../harness/figures/random.ts'
import type { FuzzTarget } from '../target.ts'

const match = createMatcher(ROUTES)
const ID = '018f0000-0000-7000-8000-000000000000'

const VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e300,
  '',
  'x',
  '\0',
  'é',
  'x'.repeat(300),
  ID,
  [],
  {},
  ['x'],
  [ID],
  '2026-02-30T00:00:00Z',
  '2026-05-01T08:00:00Z',
  'a@b.example',
  'https://x.example',
  '12.50',
  { amount: '1' },
  { constructor: 1 },
  [[null]],
  'constructor',
  '__proto__',
]

/**
 * A method and a target on the first line, then a body. Whatever they are, the input of a route is
 * accepted or refused by an error for the client that names what is wrong.
 */
export const managementTarget: FuzzTarget = {
  seeds: ROUTES.map((route) => render(route, route.example?.query ?? '', route.example?.body)),
  dictionary: ['%00', '%2f', '%', '?', '&', '=', '{', '}', 'null', '"__proto__":0,', 'limit=', ID],
  lengthMax: 8_192,
  ciExecutions: 240_000,
  generate(random) {
    const route = random.pick(ROUTES)
    const query = changed(random, {}, route.query)
    const search = Object.entries(query).map(([name, value]): [string, string] => [
      name,
      JSON.stringify(value),
    ])
    const body = route.body === null ? {} : changed(random, route.example?.body ?? {}, route.body)
    return render(route, new URLSearchParams(search).toString(), body)
  },
  check(input) {
    const end = input.indexOf('\n')
    const [method = '', target = ''] = input.subarray(0, end).toString('latin1').split(' ')
    const [path = '', search = ''] = target.split('?')
    const found = match(method, path)
    if (found.kind !== 'found') return
    for (const value of Object.values(found.path)) assert.ok(!value.includes('\0'), 'NUL in a path')
    const query = accepted(() => readQuery(search, found.route.query))
    const texts = Object.values(query ?? {})
      .flat()
      .map(String)
    assert.ok(!texts.some((text) => text.includes('\0')), 'NUL in a query')
    const parsed = parseJson(input.subarray(end + 1))
    const { body } = found.route
    if (parsed.ok && body !== null) accepted(() => checkValue(body, parsed.value))
  },
}

function accepted<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch (error) {
    assert.ok(error instanceof ApiError, `threw ${String(error)}`)
    assert.equal(error.status, 400)
    return undefined
  }
}

/** The example with one or two members that are anything. */
function changed(random: Random, example: object, schema: TObject): Record<string, unknown> {
  const names = [...Object.keys(schema.properties), 'unknown']
  const one = { [random.pick(names)]: random.pick(VALUES) }
  return {
    ...example,
    ...one,
    ...(random.chance(0.5) && { [random.pick(names)]: random.pick(VALUES) }),
  }
}

function render({ method, path }: Route, query: string, body: unknown): Buffer {
  const target = path.replaceAll(/\{\w+\}/g, ID)
  return Buffer.from(
    `${method} ${target}${query === '' ? '' : `?${query}`}\n${JSON.stringify(body ?? {})}`,
  )
}
