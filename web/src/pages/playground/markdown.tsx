import type { RootContent } from 'mdast'
import { memo, useEffect, useState, type ReactNode } from 'react'
import { CopyButton } from '../../parts/copy.tsx'
import { playground } from '../../words/playground.ts'
import { createBlockReader, SLICE_LENGTH_MAX, type Block } from './answer/read-blocks.ts'
import styles from './markdown.module.css'

/** Quotes and lists within each other; deeper ones are shown as their source. */
const LEVELS_MAX = 24

/**
 * Text of a model as Markdown. Each kind of node that is listed here becomes an element; anything
 * else, HTML and images included, is shown as its source. No text becomes HTML, and nothing is
 * loaded: the address of an image could carry the conversation away.
 */
export function Markdown({
  text,
  ended = true,
}: {
  readonly text: string
  /** While it is false, only the last block is parsed again. */
  readonly ended?: boolean
}) {
  const [reader] = useState(createBlockReader)
  const [, setTurn] = useState(0)
  const { blocks, tail, pending } = reader.advance(text, ended)
  useEffect(() => {
    if (!pending) return
    const frame = requestAnimationFrame(() => setTurn((turn) => turn + 1))
    return () => cancelAnimationFrame(frame)
  })
  return (
    <div className={styles.markdown} data-shows="markdown">
      {groupsOf(blocks).map((group, index) => (
        <Group key={index} blocks={group} />
      ))}
      {tail !== null && <Tail block={tail} />}
    </div>
  )
}

/** Blocks of one group; a group that is full is not drawn again, and not laid out out of view. */
const GROUP_SIZE = 16

function groupsOf(blocks: readonly Block[]): (readonly Block[])[] {
  return Array.from({ length: Math.ceil(blocks.length / GROUP_SIZE) }, (_, group) =>
    blocks.slice(group * GROUP_SIZE, (group + 1) * GROUP_SIZE),
  )
}

const Group = memo(
  function Group({ blocks }: { readonly blocks: readonly Block[] }) {
    return (
      <div
        className={blocks.length === GROUP_SIZE ? `${styles.group} ${styles.full}` : styles.group}
      >
        {blocks.map((block, index) => (
          <BlockView key={index} block={block} />
        ))}
      </div>
    )
  },
  (last, next) => last.blocks.length === next.blocks.length && last.blocks[0] === next.blocks[0],
)

/** A long plain text as several elements, of which only the last one grows. */
function Tail({ block }: { readonly block: Block }) {
  if (block.kind !== 'plain') return <BlockView block={block} />
  const count = Math.ceil(block.text.length / SLICE_LENGTH_MAX)
  return Array.from({ length: count }, (_, index) => (
    <Plain
      key={index}
      text={block.text.slice(index * SLICE_LENGTH_MAX, (index + 1) * SLICE_LENGTH_MAX)}
    />
  ))
}

const Plain = memo(function Plain({ text }: { readonly text: string }) {
  return (
    <div className={styles.plain} data-shows="plain">
      {text}
    </div>
  )
})

const BlockView = memo(function BlockView({ block }: { readonly block: Block }) {
  if (block.kind === 'plain') return <Plain text={block.text} />
  if (block.kind === 'code') return <CodeBlock language={block.language} text={block.text} />
  return block.nodes.map((node, index) => (
    <Node key={index} node={node} source={block.source} level={0} />
  ))
})

function CodeBlock({ language, text }: { readonly language: string; readonly text: string }) {
  return (
    <div className={styles.codeBlock}>
      <div className="code-copy">
        <CopyButton value={text} what={playground.actions.code} />
      </div>
      <pre tabIndex={0} aria-label={language === '' ? undefined : language}>
        <code>{text}</code>
      </pre>
    </div>
  )
}

type Place = { readonly source: string; readonly level: number }

function Node({ node, source, level }: Place & { readonly node: RootContent }): ReactNode {
  const inside = (nodes: readonly RootContent[]) =>
    nodes.map((child, index) => <Node key={index} node={child} source={source} level={level + 1} />)
  if (level > LEVELS_MAX) return sourceOf(node, source)
  switch (node.type) {
    case 'text':
      return node.value
    case 'paragraph':
      return <p>{inside(node.children)}</p>
    case 'strong':
      return <strong>{inside(node.children)}</strong>
    case 'emphasis':
      return <em>{inside(node.children)}</em>
    case 'delete':
      return <del>{inside(node.children)}</del>
    case 'inlineCode':
      return <code>{node.value}</code>
    case 'code':
      return <CodeBlock language={node.lang ?? ''} text={node.value} />
    case 'break':
      return <br />
    case 'thematicBreak':
      return <hr />
    case 'blockquote':
      return <blockquote>{inside(node.children)}</blockquote>
    case 'heading':
      // The page has its own headings; those of an answer are below them.
      return (
        <p
          className={node.depth <= 2 ? styles.heading : undefined}
          role="heading"
          aria-level={Math.min(6, node.depth + 2)}
        >
          {inside(node.children)}
        </p>
      )
    case 'list':
      return node.ordered === true ? (
        <ol start={node.start ?? 1}>{inside(node.children)}</ol>
      ) : (
        <ul>{inside(node.children)}</ul>
      )
    case 'listItem':
      return (
        <li>
          {typeof node.checked === 'boolean' && (node.checked ? '☑ ' : '☐ ')}
          {inside(node.children)}
        </li>
      )
    case 'table':
      return <Table node={node} inside={inside} />
    case 'link':
      return <LinkTo url={node.url}>{inside(node.children)}</LinkTo>
    // What people write as HTML, images, and what refers to other blocks.
    case 'html':
    case 'image':
    case 'imageReference':
    case 'linkReference':
    case 'definition':
    case 'footnoteDefinition':
    case 'footnoteReference':
    case 'tableRow':
    case 'tableCell':
    case 'yaml':
    default:
      return sourceOf(node, source)
  }
}

function sourceOf({ position }: RootContent, source: string): ReactNode {
  return (
    <code className="source">
      {source.slice(position?.start.offset ?? 0, position?.end.offset ?? 0)}
    </code>
  )
}

function Table({
  node,
  inside,
}: {
  readonly node: Extract<RootContent, { type: 'table' }>
  readonly inside: (nodes: readonly RootContent[]) => ReactNode
}) {
  const [head, ...rows] = node.children
  return (
    <div className="table-wrap" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head?.children.map((cell, index) => (
              <th key={index} scope="col">
                {inside(cell.children)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.children.map((cell, column) => (
                <td key={column}>{inside(cell.children)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Only to addresses of the web, and with the address beside it: a link's words can lie. */
function LinkTo({ url, children }: { readonly url: string; readonly children: ReactNode }) {
  const target = webAddress(url)
  if (target === undefined)
    return (
      <>
        {children} <code className="source">({url})</code>
      </>
    )
  return (
    <>
      <a href={target} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
      <span className={styles.destination}> ({target})</span>
    </>
  )
}

function webAddress(url: string): string | undefined {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return undefined
  const { protocol, href } = new URL(url)
  return protocol === 'http:' || protocol === 'https:' ? href : undefined
}
