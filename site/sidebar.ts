import { posix } from 'node:path'
import { readSource, titleOf } from './source-pages.ts'

export type SidebarItem = {
  readonly text: string
  readonly link?: string
  readonly collapsed?: boolean
  readonly items?: readonly SidebarItem[]
}

/** Shown with their pages. Decisions are too many: their first page lists them. */
const FOLDERS = ['docs/install', 'docs/operating']

/** The groups of docs/README.md, with the folders that it names as groups inside them. */
export function sidebarOf(
  pages: ReadonlyMap<string, string>,
  reference: Readonly<Record<string, SidebarItem>>,
): SidebarItem[] {
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
  return [inside.length === 0 ? item : { ...item, collapsed: true, items }]
}
