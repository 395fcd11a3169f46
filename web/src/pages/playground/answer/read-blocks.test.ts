import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createBlockReader, LIVE_LENGTH_MAX, type Block, type View } from './read-blocks.ts'

const DOCUMENT = `# Title

A paragraph with **bold** text
over two lines.

- one
- two
  - nested

\`\`\`ts
const a = 1

\`\`\`

| a | b |
| - | - |
| 1 | 2 |

> quote

The end.`

/** What a person reads, without the marks. */
function textOf({ blocks, tail }: View): string {
  return [...blocks, ...(tail === null ? [] : [tail])].map(sourceOf).join('')
}

function sourceOf(block: Block): string {
  if (block.kind === 'plain') return block.text
  if (block.kind === 'code') return block.language + block.text
  return block.nodes
    .map((node) => {
      // The reader and the parser see the same code, but only one of them keeps its fences.
      if (node.type === 'code') return `${node.lang ?? ''}${node.meta ?? ''}${node.value}`
      return block.source.slice(node.position?.start.offset, node.position?.end.offset)
    })
    .join('')
}

function readAll(text: string): View {
  const reader = createBlockReader()
  let view = reader.advance(text, true)
  while (view.pending) view = reader.advance(text, true)
  return view
}

function withoutSpace(text: string): string {
  return text.replaceAll(/\s+/g, '')
}

test('a text that streams in ends as the text that is read at once', () => {
  const whole = readAll(DOCUMENT)
  for (const step of [1, 3, 7, 40]) {
    const reader = createBlockReader()
    for (let end = step; end < DOCUMENT.length; end += step)
      reader.advance(DOCUMENT.slice(0, end), false)
    let view = reader.advance(DOCUMENT, true)
    while (view.pending) view = reader.advance(DOCUMENT, true)
    assert.equal(withoutSpace(textOf(view)), withoutSpace(textOf(whole)))
  }
})

test('while it streams, finished blocks are the same objects', () => {
  const reader = createBlockReader()
  const first = reader.advance('One.\n\nTwo.\n\nThree', false).blocks[0]
  assert.ok(first !== undefined)
  assert.equal(reader.advance('One.\n\nTwo.\n\nThree and more.\n\nFour', false).blocks[0], first)
})

test('no text is lost, however the blocks are cut', () => {
  const piece = fc.constantFrom(
    'a ',
    '\n',
    '\n\n',
    '- ',
    '1. ',
    '> ',
    '```',
    '    ',
    '| a |\n',
    '**',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const letters = (text: string) => text.replaceAll(/[^a]/g, '').length
      const text = pieces.join('')
      assert.ok(letters(textOf(readAll(text))) >= letters(text))
    }),
  )
})

test('beyond the bound nothing is parsed until the end', () => {
  const text = 'word **bold**\n\n'.repeat(LIVE_LENGTH_MAX / 8)
  const live = createBlockReader().advance(text, false)
  assert.deepEqual([live.blocks.length, live.tail?.kind], [0, 'plain'])
})

test('a block of any length is read in time that grows with it', () => {
  const time = (length: number) => {
    const text = 'word '.repeat(length)
    const before = process.cpuUsage()
    readAll(text)
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  time(2_000)
  assert.ok(time(8_000) < 12 * time(2_000))
})
