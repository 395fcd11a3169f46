import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

export type CheckedLinks = {
  readonly pages: number
  readonly links: number
  readonly dead: readonly string[]
}

/** Follows every link and every address of a file in the built pages, with its anchor. */
export function findDeadLinks(folder: string, base: string): CheckedLinks {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const files = new Set(names)
  const html = names.filter((name) => name.endsWith('.html') && name !== '404.html')
  const pages = new Map(html.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
  const ids = new Map([...pages].map(([name, text]) => [name, idsOf(text)]))
  const dead: string[] = []
  let links = 0
  for (const [name, text] of pages)
    for (const [, address = ''] of text.matchAll(/\s(?:href|src)="([^"]*)"/g)) {
      if (/^(https?|mailto|data):/.test(address)) continue
      links += 1
      const [path = '', anchor = ''] = address.replaceAll('&amp;', '&').split('#')
      const file = fileOf(path, name, base)
      const isFound = file === name || files.has(file)
      const hasAnchor = anchor === '' || ids.get(file)?.has(decodeURIComponent(anchor)) === true
      if (!isFound || !hasAnchor) dead.push(`${name}: ${address}`)
    }
  return { pages: pages.size, links, dead }
}

function idsOf(text: string): Set<string> {
  return new Set([...text.matchAll(/\sid="([^"]*)"/g)].map(([, id = '']) => id))
}

/** The file of an address in a page: `/docs/install/` is `install/index.html`. */
function fileOf(path: string, page: string, base: string): string {
  if (path === '') return page
  const below = path.startsWith('/')
    ? path.startsWith(base)
      ? path.slice(base.length)
      : `outside of ${base}`
    : posix.join(posix.dirname(page), path)
  return below === '' || below.endsWith('/') ? `${below}index.html` : decodeURIComponent(below)
}
