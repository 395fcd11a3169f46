import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forgetKey, keyOf, type Store } from './payment-key.ts'

function openStore(): Store {
  const values = new Map<string, string>()
  return {
    getItem: (name) => values.get(name) ?? null,
    setItem: (name, value) => void values.set(name, value),
    removeItem: (name) => void values.delete(name),
  }
}

const WANTED = { amount: '25', save_card: false }

test('all that is sent for one payment has one key, also after a reload', () => {
  const store = openStore()
  const key = keyOf('acme', WANTED, store)
  assert.equal(keyOf('acme', { ...WANTED }, store), key)
})

test('another amount, another choice and another organization are other payments', () => {
  const store = openStore()
  const keys = [
    keyOf('acme', WANTED, store),
    keyOf('acme', { ...WANTED, amount: '10' }, store),
    keyOf('acme', { ...WANTED, amount: '10', save_card: true }, store),
    keyOf('mill', { ...WANTED, amount: '10', save_card: true }, store),
  ]
  assert.equal(new Set(keys).size, keys.length)
})

test('the same amount is another payment once the first is over', () => {
  const store = openStore()
  const key = keyOf('acme', WANTED, store)
  forgetKey('acme', store)
  assert.notEqual(keyOf('acme', WANTED, store), key)
})

test('what somebody else has stored is not used', () => {
  const store = openStore()
  store.setItem('headrace-payment-acme', '{')
  assert.match(keyOf('acme', WANTED, store), /^[0-9a-f-]{36}$/)
})
