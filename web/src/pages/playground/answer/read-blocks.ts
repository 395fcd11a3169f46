import type { RootContent } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'

// Parsing a long answer again for every piece takes seconds. So blocks that are finished are parsed
// once, and only the last block is parsed again as it grows.

/** Beyond this length nothing is parsed until the answer has ended. */
export const LIVE_LENGTH_MAX = 64 * 1024
/** A block that is longer is cut: no parse takes more than some milliseconds. */
export const SLICE_LENGTH_MAX = 4_096
/** One turn of parsing; the rest follows in the next frame. */
const TURN_MS = 10

export type Block =
  | { readonly kind: 'nodes'; readonly nodes: readonly RootContent[]; readonly source: string }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'plain'; readonly text: string }

export type View = {
  /** Finished blocks. The array grows; its items never change. */
  readonly blocks: readonly Block[]
  readonly tail: Block | null
  /** More can be parsed as soon as there is time. */
  readonly pending: boolean
}

export type BlockReader = { advance(text: string, ended: boolean): View }

export function createBlockReader(): BlockReader {
  let blocks: Block[] = []
  let offset = 0
  let seen = ''
  const commit = (block: Block, length: number) => {
    blocks.push(block)
    offset += length
  }
  return {
    advance(text, ended) {
      // A text that does not continue the last one is another text.
      if (!text.startsWith(seen)) {
        blocks = []
        offset = 0
      }
      seen = text
      if (!ended && text.length > LIVE_LENGTH_MAX)
        return { blocks, tail: plain(text.slice(offset)), pending: false }
      const until = performance.now() + TURN_MS
      while (offset < text.length) {
        if (performance.now() > until)
          // Not all of the rest: laying out a long text takes longer than parsing it.
          return { blocks, tail: plain(cut(text.slice(offset))), pending: true }
        const step = nextBlock(text.slice(offset), ended)
        if (step.length === 0) return { blocks, tail: step.block, pending: false }
        commit(step.block, step.length)
      }
      return { blocks, tail: null, pending: false }
    },
  }
}

function plain(text: string): Block {
  return { kind: 'plain', text }
}

/** The next block and its length; a length of 0 means that it may still grow. */
function nextBlock(
  rest: string,
  ended: boolean,
): { readonly block: Block; readonly length: number } {
  const fence = /^ {0,3}(`{3,}|~{3,})([^\n`]*)\n/.exec(rest)
  if (fence !== null) return codeBlock(rest, fence, ended)
  const slice = cut(rest)
  const isLast = slice.length === rest.length
  const { children: nodes } = parse(slice)
  const last = nodes.at(-1)
  if (last === undefined) return { block: nodesOf([], ''), length: slice.length }
  if (isLast && ended) return { block: nodesOf(nodes, slice), length: slice.length }
  const start = startOfLine(slice, last.position?.start.offset ?? 0)
  if (nodes.length > 1 && start > 0)
    return { block: nodesOf(nodes.slice(0, -1), slice), length: start }
  return { block: nodesOf(nodes, slice), length: isLast ? 0 : slice.length }
}

function nodesOf(nodes: readonly RootContent[], source: string): Block {
  return { kind: 'nodes', nodes, source }
}

function parse(text: string) {
  return fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] })
}

/** Code needs no parser, however long it is. */
function codeBlock(
  rest: string,
  [opening, fence = '', info = '']: RegExpExecArray,
  ended: boolean,
): { readonly block: Block; readonly length: number } {
  const body = rest.slice(opening.length)
  const end = findFence(body, fence)
  const text = body.slice(0, end?.from)
  const block: Block = { kind: 'code', language: info.trim(), text: text.replace(/\n$/, '') }
  if (end === undefined) return { block, length: ended ? rest.length : 0 }
  return { block, length: opening.length + end.to }
}

function findFence(
  body: string,
  fence: string,
): { readonly from: number; readonly to: number } | undefined {
  for (let at = 0; at < body.length;) {
    const newline = body.indexOf('\n', at)
    const next = newline === -1 ? body.length : newline + 1
    const line = body.slice(at, newline === -1 ? undefined : newline).trim()
    // Without its line end the fence may still become something else.
    if (newline !== -1 && line.startsWith(fence) && line === fence[0]?.repeat(line.length))
      return { from: at, to: next }
    at = next
  }
  return undefined
}

/** At most a slice, which ends where a line begins that is not indented, or else anywhere. */
function cut(rest: string): string {
  if (rest.length <= SLICE_LENGTH_MAX) return rest
  const slice = rest.slice(0, SLICE_LENGTH_MAX)
  for (let at = slice.lastIndexOf('\n'); at > 0; at = slice.lastIndexOf('\n', at - 1)) {
    const next = rest[at + 1]
    if (next !== ' ' && next !== '\t') return slice.slice(0, at + 1)
  }
  const space = slice.lastIndexOf(' ')
  return space > 0 ? slice.slice(0, space + 1) : slice
}

function startOfLine(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1
}
