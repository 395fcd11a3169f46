import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { MalformedFile } from './gguf.ts'
import { readVocabularyFile } from './read-vocabulary.ts'

const folder = mkdtempSync(join(tmpdir(), 'headrace-vocabulary-'))
after(() => rmSync(folder, { recursive: true }))

function write(content: string | Buffer | object): string {
  const file = join(folder, crypto.randomUUID())
  const isRaw = typeof content === 'string' || Buffer.isBuffer(content)
  writeFileSync(file, isRaw ? content : JSON.stringify(content))
  return file
}

const DEMO = new URL('../../../demo-model/', import.meta.url)
const GGUF = new URL('pebble-q8_0.gguf', DEMO).pathname

test('a GGUF file gives its control and user-defined tokens', () => {
  const { special } = JSON.parse(readFileSync(new URL('tokenizer.json', DEMO), 'utf8')) as {
    special: string[]
  }
  const tokens = readVocabularyFile(GGUF)
  assert.deepEqual(
    tokens.map(({ text }) => text),
    special,
  )
  assert.deepEqual(
    tokens.filter((token) => token.special).map(({ text }) => text),
    special.slice(0, 3),
  )
})

test('only the head of a GGUF file is read', () => {
  const head = readFileSync(GGUF).subarray(0, 200_000)
  assert.equal(readVocabularyFile(write(head)).length, 11)
})

test('a damaged GGUF file is an error, whatever is damaged', () => {
  const whole = readFileSync(GGUF).subarray(0, 200_000)
  assert.throws(() => readVocabularyFile(write(whole.subarray(0, 10_000))), MalformedFile)
  for (let at = 4; at < 400; at += 1) {
    const damaged = Buffer.from(whole)
    damaged.fill(0xff, at, at + 8)
    try {
      readVocabularyFile(write(damaged))
    } catch (error) {
      assert.ok(error instanceof MalformedFile, `at byte ${at}`)
    }
  }
})

test('the files of Hugging Face and Mistral give their added tokens', () => {
  const added = { id: 1, content: ']~b]', special: true }
  const files = [
    { added_tokens: [added, { id: 2, content: '<think>', special: false }], model: {} },
    { added_tokens_decoder: { '1': added, '2': { content: '<think>', special: false } } },
    { special_tokens: [{ token_str: ']~b]', is_control: true }, { token_str: '<think>' }] },
  ]
  for (const file of files)
    assert.deepEqual(readVocabularyFile(write(file)), [
      { text: ']~b]', special: true },
      { text: '<think>', special: false },
    ])
  const named = { eos_token: { content: '[e~[' }, additional_special_tokens: ['<a|'] }
  assert.deepEqual(readVocabularyFile(write(named)), [
    { text: '[e~[', special: true },
    { text: '<a|', special: true },
  ])
})

test('other files are errors', () => {
  for (const content of ['', 'GGUF', 'text', '[]', '{}', '{"added_tokens":[7]}'])
    assert.throws(() => readVocabularyFile(write(content)), MalformedFile)
  assert.throws(() => readVocabularyFile(join(folder, 'absent')), /ENOENT/)
})
