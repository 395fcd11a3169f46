import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { posix, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')

export type Page = { readonly path: string; readonly text: string }

/** The files of the repository that match one of the patterns of git. */
export function readPages(...patterns: readonly string[]): Page[] {
  const command = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', ...patterns]
  const output = execFileSync('git', command, { cwd: ROOT, encoding: 'utf8' })
  const paths = new Set(output.split('\0').filter((path) => path !== ''))
  return [...paths]
    .filter((path) => existsSync(resolve(ROOT, path)))
    .toSorted()
    .map((path) => ({ path, text: readFile(path) }))
}

export function readFile(path: string): string {
  return readFileSync(resolve(ROOT, path), 'utf8')
}

const FENCE = /^ *```(\w*)\n(.*?)^ *```$/gms

export function withoutCode(text: string): string {
  return text.replaceAll(FENCE, '').replaceAll(/`[^`\n]*`/g, '')
}

/** The fenced blocks in a language, without the indentation that a list gives them. */
export function readFences(text: string, language: string): string[] {
  return [...text.matchAll(FENCE)]
    .filter(([, found]) => found === language)
    .map(([, , body = '']) => {
      const [indent = ''] = /^ */.exec(body) ?? []
      return body.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
    })
}

/** The lines of fenced blocks in a language, with continued lines joined. */
export function readFencedLines(text: string, language: string): string[] {
  return [...text.matchAll(FENCE)]
    .filter(([, found]) => found === language)
    .flatMap(([, , body = '']) => body.replaceAll(/\\\n\s*/g, ' ').split('\n'))
    .map((line) => line.trim())
}

/** What stands between backticks in a line of prose, in a table or in a comment. */
export function readInlineCode(text: string): string[] {
  return [...text.replaceAll(FENCE, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) =>
    code.replaceAll('\\|', '|').trim(),
  )
}

/** Targets of links and images; the text in brackets may hold code or other brackets. */
function readLinks(text: string): string[] {
  const inline = withoutCode(text).matchAll(/\]\(([^()\s]+)\)/g)
  const inHtml = withoutCode(text).matchAll(/\b(?:src|srcset|href)="([^"]+)"/g)
  return [...inline, ...inHtml].map(([, target]) => target ?? '')
}

export function findBrokenLinks({ path, text }: Page): string[] {
  return readLinks(text).filter((link) => {
    if (/^[a-z]+:/.test(link)) return false
    // Forms on the forge refer to files of the branch by this path, and to its other pages.
    const [, onBranch] = /^\.\.\/blob\/main\/(.*)$/.exec(link) ?? []
    if (onBranch !== undefined) return !targetExists(onBranch)
    if (link === '../discussions' && path.startsWith('.github/')) return false
    const isHere = link.startsWith('#')
    return !targetExists(isHere ? path + link : posix.join(posix.dirname(path), link))
  })
}

/** Paths of pages, with their anchors, that programs print and comments name. */
export function findBrokenMentions({ text }: Page): string[] {
  const mentions = [...text.matchAll(/\bdocs\/[\w/-]+\.md(?:#[a-z][\w-]*)?/g)]
  return mentions.map(([mention]) => mention).filter((mention) => !targetExists(mention))
}

export function targetExists(target: string): boolean {
  const [file = '', anchor] = target.split('#')
  const path = decodeURIComponent(file)
  if (path.startsWith('..') || !existsSync(resolve(ROOT, path))) return false
  return anchor === undefined || readAnchors(readFile(path)).has(anchor)
}

/** The texts of headings, by the ids that GitHub gives to them. */
export function readAnchors(text: string): Map<string, string> {
  const anchors = new Map<string, string>()
  for (const [, heading = ''] of text.replaceAll(FENCE, '').matchAll(/^#+ +(.*)$/gm)) {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const anchor = words.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(/\s/g, '-')
    const repeats = [anchor, `${anchor}-1`, `${anchor}-2`, `${anchor}-3`]
    anchors.set(repeats.find((name) => !anchors.has(name)) ?? anchor, heading)
  }
  return anchors
}
