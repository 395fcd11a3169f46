import { writeFigures } from './write-figures.ts'

/**
 * The first page: a head with the README's own sentences, recorded figures of three proofs, the
 * README's still picture, and its sections. The animation is too large for a first page, so only
 * /console.html shows it.
 * The README stays the only text that introduces Headrace.
 */
export function writeHome(readme: string): string {
  const [head = '', ...sections] = readme.split(/^(?=## )/m)
  const pitch = /\*\*(.+?)\*\*\s+(.+?)\n\n/s.exec(head)
  const [linked = '', picture] = /<a [^>]*>\s*(<img[^]*?)<\/a>\s*/.exec(readme) ?? []
  if (pitch === null || picture === undefined)
    throw new Error('README.md needs a sentence in bold, a paragraph and a picture that is a link')
  const [, sentence = '', paragraph = ''] = pitch
  const hero = {
    text: sentence.replaceAll('\n', ' '),
    tagline: paragraph.replaceAll('\n', ' '),
    actions: [
      { theme: 'brand', text: 'Try it', link: '#try-it-three-commands-no-gpu' },
      { theme: 'alt', text: 'Call the API', link: '/start/api' },
      { theme: 'alt', text: 'Install', link: '/install/' },
    ],
  }
  const rest = sections.join('').replace(linked, '')
  const front = JSON.stringify({ layout: 'home', title: 'Headrace', titleTemplate: false, hero })
  // JSON is YAML, so the front matter needs no second syntax.
  return [`---\n${front}\n---`, writeFigures(), picture.trim(), rest].join('\n\n')
}
