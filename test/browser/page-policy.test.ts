// The Content-Security-Policy of the console, as a browser applies it.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { watchPage } from '../harness/browser/visit.ts'
import { openWeb } from '../harness/browser/web.ts'

const web = await openWeb()
after(() => web[Symbol.asyncDispose]())

test('a page works without any Trusted Types policy, and no script can make one', async () => {
  const page = await web.openPage()
  const watched = await watchPage(page, [web.origin])
  await page.goto(`${web.origin}/sign-in`)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  assert.deepEqual(Object.values(watched).flat(), [])
  const made = await page.evaluate(() => {
    type Factory = { createPolicy(name: string, rules: object): unknown }
    const { trustedTypes } = globalThis as unknown as { trustedTypes: Factory }
    return ['default', 'headrace', 'lit-html', 'dompurify'].filter((name) => {
      try {
        return trustedTypes.createPolicy(name, { createHTML: (text: string) => text }) !== undefined
      } catch {
        return false
      }
    })
  })
  assert.deepEqual(made, [])
})
