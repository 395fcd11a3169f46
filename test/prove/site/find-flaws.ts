import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A picture without a size moves the text below it; figures must be those of recorded runs. */
export function findFlaws(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const pages = names.filter((name) => name.endsWith('.html') && name !== '404.html')
  return pages.flatMap((name) => flawsOf(name, readFileSync(join(folder, name), 'utf8')))
}

function flawsOf(name: string, text: string): string[] {
  const pictures = [...text.matchAll(/<img [^>]*\.png"[^>]*>/g)].map(([tag]) => tag)
  const unsized = pictures.filter((tag) => !/ width="\d+" height="\d+"/.test(tag))
  const flaws = unsized.map((tag) => `${name}: no size: ${tag}`)
  if (!/<meta name="description" content="[^"]/.test(text)) flaws.push(`${name}: no description`)
  if (name !== 'index.html') return flaws
  const figures = [...text.matchAll(/<strong>0 of [\d,]+<\/strong> <a [^>]*proofs\.html#/g)]
  if (figures.length !== 3) flaws.push(`${name}: ${figures.length} figures of proofs, not 3`)
  return flaws
}
