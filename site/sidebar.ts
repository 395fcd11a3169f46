import { posix } from 'node:path'
import { readSource, titleOf } from './source-pages.ts'

export type SidebarItem = {
  readonly text: string
  readonly link?: string
  readonly items?: readonly SidebarItem[]
}

/** Shown with their pages. Decisions are too many: their first page lists them. */
const FOLDERS = ['docs/install', 'docs/operating']

type Reference = Readonly<Record<string, SidebarItem>>

/**
 * A sidebar for the pages of each folder, by its path. It has the pages of its own folder only: a
 * page builds its whole sidebar when it starts, which takes a phone longer than all the rest.
 */
export function sidebarsOf(
  pages: ReadonlyMap<string, string>,
  reference: Reference,
): Readonly<Record<string, readonly SidebarItem[]>> {
  const sections = sectionsOf(pages, reference)
  const folders = sections.flatMap(({ items = [] }) => items.filter(hasPages))
  const alone = new Set(Object.values(reference))
  const sidebars = folders.map((folder) => [
    `${posix.dirname(folder.link ?? '')}/`,
    alone.has(folder) ? [opened(folder)] : sections.map((section) => only(section, folder)),
  ])
  return Object.fromEntries([['/', sections.map((section) => only(section))], ...sidebars])
}

const hasPages = ({ items }: SidebarItem): boolean => items !== undefined

function opened({ text, link = '', items = [] }: SidebarItem): SidebarItem {
  return { text, link, items }
}

/** The section with the pages of one of its folders at most. */
function only({ text, items = [] }: SidebarItem, folder?: SidebarItem): SidebarItem {
  const closed = ({ text: title, link = '' }: SidebarItem) => ({ text: title, link })
  return { text, items: items.map((item) => (item === folder ? opened(item) : closed(item))) }
}

/** The groups of docs/README.md, with the folders that it names as groups inside them. */
function sectionsOf(pages: ReadonlyMap<string, string>, reference: Reference): SidebarItem[] {
  const [, ...sections] = readSource('docs/README.md').split(/^## /m)
  return sections.map((section) => {
    const [title = ''] = section.split('\n', 1)
    const items = linksOf(section, 'docs/README.md').flatMap((path) => {
      const item = reference[path]
      return item === undefined ? itemOf(path, pages) : [item]
    })
    return { text: title, items }
  })
}

/** The files that the tables of a page name first in their rows, without anchors. */
function linksOf(text: string, page: string): string[] {
  const rows = [...text.matchAll(/^\| (\[.*?) \|/gm)].map(([, cell = '']) => cell)
  const targets = rows.flatMap((cell) => [...cell.matchAll(/\]\(([^)#]+)\)/g)])
  return targets.map(([, target = '']) => posix.join(posix.dirname(page), target))
}

function itemOf(path: string, pages: ReadonlyMap<string, string>): SidebarItem[] {
  const place = pages.get(path)
  if (place === undefined) return []
  const folder = posix.dirname(path)
  const isFolder = path.endsWith('/README.md') && FOLDERS.includes(folder)
  const inside = isFolder
    ? [...pages.keys()].filter((other) => posix.dirname(other) === folder && other !== path)
    : []
  const items = inside.map((other) => ({ text: titleOf(other), link: `/${pages.get(other)}` }))
  const item = { text: titleOf(path), link: `/${place}` }
  return [inside.length === 0 ? item : { ...item, items }]
}
