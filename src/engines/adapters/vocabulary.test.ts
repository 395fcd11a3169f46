import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TOKENIZERS } from '../../../test/harness/engines/tokenizers.ts'
import { createVocabulary, selectControlTokens } from './vocabulary.ts'

const asTokens = (texts: readonly string[]) => texts.map((text) => ({ text, special: false }))

test('every control token of known tokenizers is selected, and not too many are unusual', () => {
  for (const { model, tokens } of TOKENIZERS) {
    const listed = tokens.map(({ content: text, special }) => ({ text, special }))
    const selected = selectControlTokens(listed)
    assert.equal(selected.length, listed.length, model)
    const vocabulary = createVocabulary()
    assert.ok(vocabulary.learn(selected), model)
  }
})

test('ordinary text that a tokenizer has as added tokens is not selected', () => {
  const html = ['<html>', '</body>', '<iframe>', '<footer>', '</table>', '<h1>', '<s>', '</s>']
  const ordinary = [
    '[]',
    '{}',
    '<=>',
    '||',
    '\n\n',
    '▁▁',
    '\t\t\t',
    '    ',
    'sop',
    'user',
    '://',
    '->',
    '/',
    '/a',
    '/usr/bin',
  ]
  assert.deepEqual(selectControlTokens(asTokens([...html, ...ordinary])), [])
})

test('markup and switches are selected although a tokenizer does not call them special', () => {
  const control = ['<tool_call>', '</think>', '[multimodal]', '<｜User｜>', '/nothink', '<|"|>']
  assert.deepEqual(selectControlTokens(asTokens(control)), control)
})

test('a token that only a template completes is broken up', () => {
  const vocabulary = createVocabulary()
  assert.ok(vocabulary.learn(['<turn|>', '<|turn>', '<role>']))
  for (const token of vocabulary.tokens()) {
    assert.ok(!`${vocabulary.neutralise(token.slice(0, -1))}>`.includes(token), token)
    assert.ok(!`<${vocabulary.neutralise(token.slice(1))}`.includes(token), token)
  }
})
