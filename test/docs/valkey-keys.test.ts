import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  fleetKey,
  FLEETS_KEY,
  loginKey,
  organizationKeys,
  placedKey,
  unknownProxyKey,
} from '../../src/store/valkey/keys.ts'
import { readFile } from './pages.ts'

/** As the page writes them: names of parts instead of ids. */
const STORED = [
  ...Object.values(organizationKeys('<organization>')),
  FLEETS_KEY,
  fleetKey('<fleet>', ''),
  fleetKey('<fleet>', 'orders'),
  loginKey('<hash>'),
  placedKey('<fleet>', 0).replace(/0$/, '<hash>'),
  unknownProxyKey('api'),
  unknownProxyKey('console'),
]
const KEYS = STORED.map((key) => key.replace(/^\{p[0-9a-f]{2}\}/, '{pNN}'))
const PAGE = readFile('docs/operating/valkey.md')

/** A row may list further keys of a partition by their ends: `{pNN}:open`, `:progress`. */
function isListed(key: string, page: string): boolean {
  const end = key.replace('{pNN}', '')
  return page.includes(`\`${key}`) || (end !== key && page.includes(`\`${end}\``))
}

test('docs/operating/valkey.md lists every key that Headrace stores', () => {
  assert.deepEqual(
    KEYS.filter((key) => !isListed(key, PAGE)),
    [],
  )
})

test('the key patterns that the page names for an ACL allow every key, and no others', () => {
  const [, list = ''] = /ACL must allow the key patterns([^.]*)\./.exec(PAGE) ?? []
  const starts = [...list.matchAll(/`([^`*]+)\*?`/g)].map(([, start = '']) => start)
  const allowedBy = (key: string) => starts.find((start) => key.startsWith(start))
  const refused = STORED.filter((key) => allowedBy(key) === undefined)
  const used = new Set(STORED.map(allowedBy))
  const needless = starts.filter((start) => !used.has(start))
  assert.deepEqual({ refused, needless }, { refused: [], needless: [] })
})
