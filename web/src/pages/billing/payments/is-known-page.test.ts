import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isKnownPage } from './is-known-page.ts'

test('the browser goes to hosts of the settings and nowhere else', () => {
  const hosts = ['checkout.stripe.com']
  const known = (url: string) => isKnownPage(url, hosts)
  assert.equal(known('https://checkout.stripe.com/c/pay/1'), true)
  for (const url of [
    'https://checkout.stripe.com.evil.example/',
    'https://evil.example/?checkout.stripe.com',
    'https://checkout.stripe.com@evil.example/',
    'javascript:alert(1)//checkout.stripe.com',
    'data:text/html,checkout.stripe.com',
    '/o/acme',
    '',
  ])
    assert.equal(known(url), false, url)
})
