import { readSource } from '../source-pages.ts'
import type { SidebarItem } from '../sidebar.ts'
import type { Document } from './document.ts'
import { renderOperation } from './render-operation.ts'

export type Reference = {
  /** Text of each page, by its place on the site. */
  readonly pages: ReadonlyMap<string, string>
  /** Where the sidebar shows them: in place of the document. */
  readonly sidebar: Readonly<Record<string, SidebarItem>>
}

const DOCUMENTS = {
  'openapi/api.json': 'API reference',
  'openapi/management.json': 'Management API reference',
}

/** A page for each tag of both OpenAPI documents, and one that lists them. */
export function writeReference(): Reference {
  const pages = new Map<string, string>()
  const sidebar: Record<string, SidebarItem> = {}
  for (const [path, title] of Object.entries(DOCUMENTS)) {
    const document = JSON.parse(readSource(path)) as Document
    const name = /\/(\w+)\.json$/.exec(path)?.[1] ?? ''
    const items = document.tags.map(({ name: tag }) => {
      const place = `reference/${name}/${tag.toLowerCase().replaceAll(' ', '-')}.md`
      pages.set(place, renderTag(tag, document))
      return { text: tag, link: `/${place}` }
    })
    const index = `reference/${name}/index.md`
    pages.set(index, renderIndex(title, name, document, items))
    sidebar[path] = { text: title, link: `/${index}`, items }
  }
  return { pages, sidebar }
}

function operationsOf(tag: string, { paths }: Document) {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({ method, path, operation })),
  )
}

function renderTag(tag: string, document: Document): string {
  const { description } = document.tags.find(({ name }) => name === tag) ?? {}
  const operations = operationsOf(tag, document).map(({ method, path, operation }) =>
    renderOperation({ method, path }, operation, document),
  )
  return [`# ${tag}`, ...(description === undefined ? [] : [description]), ...operations].join(
    '\n\n',
  )
}

function renderIndex(
  title: string,
  name: string,
  document: Document,
  items: readonly { readonly text: string; readonly link: string }[],
): string {
  const explained = name === 'api' ? '/specification.md' : '/management-api.md'
  const groups = items.map(({ text, link }) => {
    const rows = operationsOf(text, document).map(
      ({ method, path, operation }) =>
        `| **${method.toUpperCase()}** \`${path}\` | ${operation.summary} |`,
    )
    const head = `## [${text}](${link})\n\n| Operation | What it does |\n| --- | --- |`
    return [head, ...rows].join('\n')
  })
  return [
    `# ${title}`,
    `${document.info.description ?? ''} [The rules in words](${explained}), and`,
    `<a href="../../openapi/${name}.json" target="_self">the OpenAPI document</a>`,
    'that this is written from.',
    '',
    ...groups,
  ].join('\n')
}
