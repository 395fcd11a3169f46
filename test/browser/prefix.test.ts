// Walk 8 of the console: below a path of a larger site.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { findFreePort } from '../harness/processes/console-process.ts'
import { pathOf } from '../harness/browser/pages.ts'
import { startPrefixProxy } from '../harness/servers/prefix-proxy.ts'
import { seedPages } from '../harness/seed/seed-pages.ts'
import { visit, watchPage } from '../harness/browser/visit.ts'
import { openWeb, signIn } from '../harness/browser/web.ts'

const PREFIX = '/llm'
const VISITED = ['/', '/o/{slug}/keys', '/o/{slug}/settings/general', '/account/profile']

const publicPort = await findFreePort()
const web = await openWeb({ console: { public_url: `http://localhost:${publicPort}${PREFIX}` } })
const seeded = await seedPages(web.environment)
after(() => web[Symbol.asyncDispose]())

for (const strips of [true, false])
  test(`pages work behind a proxy that ${strips ? 'removes' : 'keeps'} the prefix`, async () => {
    const target = () => web.origin
    const options = { port: publicPort, prefix: PREFIX, strips, target }
    await using proxy = await startPrefixProxy(options)
    const origin = `http://localhost:${publicPort}`
    const page = await web.openPage()
    const watched = await watchPage(page, [origin])
    await signIn(page, { origin }, seeded.visitors.owner!)
    for (const path of VISITED) {
      await visit(page, `${origin}${PREFIX}${pathOf({ path }, seeded)}`)
      assert.ok(page.url().startsWith(`${origin}${PREFIX}/`), page.url())
    }
    // Fonts are loaded by the style sheet, lazy chunks by scripts: each by its own rule.
    const loaded = await page.evaluate<string[]>(
      `performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)`,
    )
    assert.ok(
      loaded.some((path) => /^\/llm\/assets\/.*\.woff2$/.test(path)),
      loaded.join(' '),
    )
    assert.deepEqual(proxy.outside, [])
    assert.deepEqual(watched, { violations: [], errors: [], foreign: [] })
  })

test('a deep link without a session keeps its way back, with the prefix once', async () => {
  const target = () => web.origin
  await using proxy = await startPrefixProxy({
    port: publicPort,
    prefix: PREFIX,
    strips: true,
    target,
  })
  const origin = `http://localhost:${publicPort}`
  const page = await web.openPage()
  await page.goto(`${origin}${PREFIX}/o/${seeded.slug}/keys`)
  await page.waitForURL(`${origin}${PREFIX}/sign-in?*`)
  const to = new URL(page.url()).searchParams.get('to') ?? ''
  assert.equal(to.split('?')[0], `/o/${seeded.slug}/keys`)
  assert.deepEqual(proxy.outside, [])
})
