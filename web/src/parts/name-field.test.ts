import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameField } from './name-field.ts'

test('a message of the API names the field as the page does', () => {
  assert.equal(
    nameField("'spending_limit.amount' must be an amount such as 12.50.", 'Spending limit'),
    'Spending limit must be an amount such as 12.50.',
  )
  assert.equal(nameField('This name is taken.', 'Name'), 'This name is taken.')
})
