import assert from 'node:assert/strict'
import { test } from 'node:test'
import { betterOf } from './better-of.ts'

test('the better of two figures is the smaller or the larger one, as the figure asks for', () => {
  assert.equal(betterOf('less', 1, 2), 0)
  assert.equal(betterOf('less', 2, 1), 1)
  assert.equal(betterOf('more', 1, 2), 1)
  assert.equal(betterOf('more', 2, 1), 0)
})

test('neither figure is better if they are equal, unknown, or not to be judged', () => {
  assert.equal(betterOf('less', 2, 2), undefined)
  assert.equal(betterOf('less', null, 2), undefined)
  assert.equal(betterOf('more', 2, null), undefined)
  assert.equal(betterOf('none', 1, 2), undefined)
})
