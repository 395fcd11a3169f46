import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'

const WORDS = join(import.meta.dirname, 'src/words')

/** What a page must say about its language before its first script runs. */
export type PageLanguage = {
  readonly code: string
  readonly dir: string
  readonly description: string
}

/**
 * Builds the app in one language: an import of `words/keys.ts` reads the same file of the folder.
 * A module of `words/` without a translation, such as `counted.ts`, holds no text.
 */
export function wordsOf(folder: string, language: PageLanguage): Plugin {
  return {
    name: 'words-of',
    enforce: 'pre',
    async resolveId(source, importer, options) {
      if (!source.endsWith('.ts') || importer === undefined) return null
      const found = await this.resolve(source, importer, { ...options, skipSelf: true })
      const path = found?.id.split('?', 1)[0] ?? ''
      if (dirname(path) !== WORDS) return null
      const translated = join(folder, path.slice(WORDS.length))
      // A file may be made of the English one, which it imports.
      return existsSync(translated) && importer !== translated ? translated : found
    },
    transformIndexHtml(html) {
      const { code, dir, description } = language
      return html
        .replace('<html lang="en" dir="ltr">', `<html lang="${code}" dir="${dir}">`)
        .replace(/(<meta name="description" content=")[^"]*/, (_, start) => start + description)
    },
  }
}
