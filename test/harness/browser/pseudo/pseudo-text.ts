const ACCENTS: Readonly<Record<string, string>> = {
  a: 'á',
  e: 'é',
  i: 'í',
  o: 'ó',
  u: 'ú',
  n: 'ñ',
  s: 'š',
  c: 'ç',
  A: 'Á',
  E: 'É',
  I: 'Í',
  O: 'Ó',
  U: 'Ú',
}
/** How much longer than English other languages are. */
const GROWTH = 0.4
/** Words, but neither the slots of a sentence nor what stands in one as code. */
const WORDS = /\{\w+\}|[\w.]*[._/]\w[\w.]*|\p{L}{2,}/gu
/** What the page compares or sends: no text. */
const VALUES = new Set(['kind', 'variables', 'header', 'recoveryFile', 'word'])

/** "Overview" becomes "Óvéŕvíéwóóó": accented, so that what is not translated stands out. */
export function pseudoText(text: string): string {
  return text.replaceAll(WORDS, (word) => {
    if (!/^\p{L}+$/u.test(word)) return word
    const accented = Array.from(word, (letter) => ACCENTS[letter] ?? letter).join('')
    return accented + 'ó'.repeat(Math.ceil(word.length * GROWTH))
  })
}

/** The same words, each text in the pseudo-language, and functions that return such texts. */
export function pseudoWords<Words>(words: Words, name = ''): Words {
  if (VALUES.has(name)) return words
  if (typeof words === 'string') return pseudoText(words) as Words
  if (typeof words === 'function')
    return ((...values: unknown[]) => pseudoWords((words as Function)(...values))) as Words
  if (Array.isArray(words)) return words.map((word: unknown) => pseudoWords(word)) as Words
  if (typeof words !== 'object' || words === null) return words
  const members = Object.entries(words).map(([key, word]) => [key, pseudoWords(word, key)])
  return Object.fromEntries(members) as Words
}
