import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  fleetKey,
  FLEETS_KEY,
  loginKey,
  organizationKeys,
  placedKey,
} from '../../src/store/valkey/keys.ts'
import { readFile } from './pages.ts'

/** As the page writes them: names of parts instead of ids. */
const KEYS = [
  ...Object.values(organizationKeys('<organization>')),
  FLEETS_KEY,
  fleetKey('<fleet>', ''),
  fleetKey('<fleet>', 'orders'),
  loginKey('<hash>'),
  placedKey('<fleet>', 0).replace(/0$/, '<hash>'),
].map((key) => key.replace(/^\{p[0-9a-f]{2}\}/, '{pNN}'))

/** A row may list further keys of a partition by their ends: `{pNN}:open`, `:progress`. */
function isListed(key: string, page: string): boolean {
  const end = key.replace('{pNN}', '')
  return page.includes(`\`${key}`) || (end !== key && page.includes(`\`${end}\``))
}

test('docs/operating/valkey.md lists every key that Headrace stores', () => {
  const page = readFile('docs/operating/valkey.md')
  assert.deepEqual(
    KEYS.filter((key) => !isListed(key, page)),
    [],
  )
})
