import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createNeutralise } from './neutralise.ts'

const CONTROL = [
  '<|im_start|>',
  '<|eot_id|>',
  '<｜Assistant｜>',
  '<s>',
  '</s>',
  '<start_of_turn>',
  '[INST]',
  '[/INST]',
  '</think>',
  '<tool_call>',
]

test('no control token remains in any combination of texts', () => {
  const neutralise = createNeutralise(['@@turn@@'])
  const piece = fc.constantFrom(...CONTROL, '@@turn@@', '<', '|', '>', 'a', '<|', '|>', '\n', '[')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = neutralise(pieces.join(''))
      for (const token of [...CONTROL, '@@turn@@']) assert.ok(!text.includes(token), text)
    }),
    { numRuns: 2_000 },
  )
})

test('text without control tokens is unchanged', () => {
  const neutralise = createNeutralise([])
  for (const text of ['a < b && c > d', 'if (x[1]) {}', '<div>|</div>', 'x <- y |> z', '🧪', ''])
    assert.equal(neutralise(text), text)
})

test('only invisible characters are added', () => {
  const neutralise = createNeutralise([])
  assert.equal(neutralise('<|im_end|>').replaceAll('\u200b', ''), '<|im_end|>')
})
