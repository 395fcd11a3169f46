import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { PAGES, PAYMENT_PAGES } from './harness/browser/pages.ts'

const ROOT = resolve(import.meta.dirname, '..')
const ROUTE =
  /(\w+) = createRoute\(\{\s*getParentRoute: \(\) => (\w+),\s*path: '([^']*)',?(\s*beforeLoad)?/g

type Route = {
  readonly name: string
  readonly parent: string
  readonly path: string
  readonly redirects: boolean
}

function readRoutes(): Route[] {
  return globSync('web/src/{router.ts,routes/*.ts}', { cwd: ROOT }).flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(ROUTE)].map(
      ([, name = '', parent = '', path = '', guard]) => ({
        name,
        parent,
        path,
        redirects: guard !== undefined,
      }),
    ),
  )
}

function fullPath(route: Route, routes: readonly Route[]): string {
  const parent = routes.find(({ name }) => name === route.parent)
  const above = parent === undefined ? '' : fullPath(parent, routes)
  return `${above}/${route.path}`.replaceAll(/\/+/g, '/')
}

test('the table of pages has every route of the web app', () => {
  const routes = readRoutes()
  const parents = new Set(routes.map(({ parent }) => parent))
  const known = new Set([...PAGES, ...PAYMENT_PAGES].map(({ path }) => path))
  const missing = routes
    .filter(({ name, redirects }) => !parents.has(name) && !redirects)
    .map((route) => fullPath(route, routes))
    .map((path) => (path === '/' ? path : path.replace(/\/$/, '')))
    .map((path) => path.replaceAll(/\$(\w+)/g, (_, name: string) => `{${name}}`))
    // The router calls an organization `slug` below /o and `organization` below /operator.
    .map((path) => path.replace('{organization}', '{slug}'))
    .filter((path) => !known.has(path))
  assert.ok(routes.length >= 40, `${routes.length} routes were found`)
  assert.deepEqual(missing, [])
})
