// Builds the web app into dist/, once for each language; files without words are shared.
//   node web/build.ts                        every language that is offered
//   node web/build.ts --words DIR --out DIR  the words of one folder, for tests
import { rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'vite'
import { LANGUAGES } from '../src/contract/language.ts'
import { precompressFolder } from './precompress.ts'
import { wordsOf, type PageLanguage } from './words-of.ts'

const WORDS = join(import.meta.dirname, 'src/words')
const { values } = parseArgs({
  options: { words: { type: 'string' }, out: { type: 'string', default: 'dist' } },
})
const out = resolve(import.meta.dirname, values.out)

await rm(out, { recursive: true, force: true })
if (values.words !== undefined) await buildLanguage('en', resolve(values.words))
else
  // English last: its page is the newest file of a complete build.
  for (const code of LANGUAGES.toReversed())
    await buildLanguage(code, code === 'en' ? WORDS : join(WORDS, code))
await precompressFolder(out)

/** The page of English is `index.html`, that of another language `index.de.html`. */
async function buildLanguage(code: string, folder: string): Promise<void> {
  const { language } = (await import(join(folder, 'language.ts'))) as { language: PageLanguage }
  const suffix = code === 'en' ? '' : `.${code}`
  await build({
    root: import.meta.dirname,
    configFile: join(import.meta.dirname, 'vite.config.ts'),
    logLevel: 'warn',
    plugins: [wordsOf(folder, language)],
    build: { outDir: out, emptyOutDir: false, manifest: `.vite/manifest${suffix}.json` },
  })
  // The build names the page after its source, and the next language would write over it.
  if (suffix !== '') await rename(join(out, 'index.html'), join(out, `index${suffix}.html`))
}
