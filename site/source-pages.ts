import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, posix, resolve } from 'node:path'

export const ROOT = resolve(import.meta.dirname, '..')
/** Files that are not pages of the site are shown by the forge. */
const REPOSITORY = 'https://github.com/headrace/headrace'
/** Pages that only people who change these folders read there. */
const NOT_PAGES = /^(\.github|test\/.+|site|web)\//
const NAMES: Readonly<Record<string, string>> = {
  // The first page of the site is made of the README.
  'README.md': 'index.md',
  'docs/README.md': 'contents.md',
}

/** Where each page of the site is, by its path in the repository. */
export function listPages(): ReadonlyMap<string, string> {
  const output = execFileSync('git', ['ls-files', '-z', '--', '*.md'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  const paths = output.split('\0').filter((path) => path !== '' && !NOT_PAGES.test(path))
  return new Map(paths.map((path) => [path, NAMES[path] ?? placeOf(path)]))
}

function placeOf(path: string): string {
  const place = path.replace(/^docs\//, '').replace(/README\.md$/, 'index.md')
  return place.includes('/') ? place : place.toLowerCase()
}

export function readSource(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

/** The text of the first heading. */
export function titleOf(path: string): string {
  return /^# (.+)$/m.exec(readSource(path))?.[1] ?? path
}

const CODE = /^( *)```[^\n]*\n[\s\S]*?^ *```$|`[^`\n]+`/gm
/** A link whose text is the name of the file, as in `[scale.md](scale.md)`. */
const FILE_NAME = /\[[\w./-]+(?:\.md|\/)\]\(([^()\s#]+)(#[^()\s]*)?\)/g
const LINK = /(\]\()([^()\s]+)(\))|(\b(?:src|srcset|href)=")([^"]+)(")/g

/** Rewrites links of a page for its place on the site; adds the pictures that it shows. */
export function rewriteLinks(
  source: string,
  pages: ReadonlyMap<string, string>,
  pictures: Set<string>,
): string {
  const rewrite = (prose: string) =>
    nameByTitle(prose, source, pages).replaceAll(LINK, (...match: (string | undefined)[]) => {
      const [, open = match[4], target = match[5] ?? '', close = match[6]] = match
      return `${open}${targetOf(target, source, pages, pictures)}${close}`
    })
  return onlyProse(showByTheme(source), rewrite)
}

/** Readers of the site see titles of pages, and no names of files. */
function nameByTitle(prose: string, source: string, pages: ReadonlyMap<string, string>): string {
  return prose.replaceAll(FILE_NAME, (link, file: string, anchor = '') => {
    const path = posix.join(posix.dirname(source), file).replace(/\/$/, '')
    const page = [path, `${path}/README.md`].find((each) => pages.has(each))
    return page === undefined ? link : `[${titleOf(page)}](${file}${anchor})`
  })
}

function onlyProse(text: string, change: (prose: string) => string): string {
  let changed = ''
  let end = 0
  for (const match of text.matchAll(CODE)) {
    changed += change(text.slice(end, match.index)) + match[0]
    end = match.index + match[0].length
  }
  return changed + change(text.slice(end))
}

function targetOf(
  target: string,
  source: string,
  pages: ReadonlyMap<string, string>,
  pictures: Set<string>,
): string {
  if (/^([a-z]+:|#)/.test(target)) return target
  const [file = '', anchor] = target.split('#')
  const hash = anchor === undefined ? '' : `#${anchor}`
  const path = posix.join(posix.dirname(source), file).replace(/\/$/, '')
  const page = pages.get(path) ?? pages.get(`${path}/README.md`)
  if (page !== undefined) return `/${page}${hash}`
  if (!existsSync(join(ROOT, path))) throw new Error(`${source}: there is no ${target}`)
  if (/\.(png|svg|webp)$/.test(path)) {
    pictures.add(path)
    const here = posix.dirname(pages.get(source) ?? '')
    return `./${posix.relative(here, pictureOf(path))}`
  }
  const document = /^openapi\/(\w+)\.json$/.exec(path)?.[1]
  if (document !== undefined) return `/reference/${document}/index.md`
  if (path === 'llms.txt') return '/llms.txt'
  const kind = statSync(join(ROOT, path)).isDirectory() ? 'tree' : 'blob'
  return `${REPOSITORY}/${kind}/main/${path}${hash}`
}

/** Where a picture of the repository is on the site. */
export function pictureOf(path: string): string {
  return path.replace(/^docs\//, '')
}

const PICTURE = new RegExp(
  [
    '<picture>',
    '<source media="\\(prefers-color-scheme: dark\\)" srcset="([^"]+)">',
    '<img ([^>]*?)src="([^"]+)"[^>]*>',
    '</picture>',
  ].join('\\s*'),
  'g',
)

/**
 * The site has a switch for its theme, which `<picture>` does not know of. Pictures have sizes, so
 * that the text below them does not move when they arrive.
 */
function showByTheme(source: string): string {
  const show = (theme: string, path: string, alt: string) => {
    const size = sizeOf(join(ROOT, posix.dirname(source), path))
    return `<img class="only-${theme}" loading="lazy" ${size} ${alt}src="${path}">`
  }
  return readSource(source).replaceAll(
    PICTURE,
    (_all, dark: string, alt: string, light: string) =>
      show('light', light, alt) + show('dark', dark, alt),
  )
}

/** The size that a PNG has at the beginning of its first chunk. */
function sizeOf(path: string): string {
  const bytes = readFileSync(path)
  return `width="${bytes.readUInt32BE(16)}" height="${bytes.readUInt32BE(20)}"`
}

/** llms.txt with the addresses of the site. */
export function writeLlms(pages: ReadonlyMap<string, string>): string {
  return readSource('llms.txt').replaceAll(/\]\(([^)#]+)/g, (link, path: string) => {
    const page = pages.get(path)
    return page === undefined ? link : `](${page.replace(/\.md$/, '.html')}`
  })
}
