import { DEFAULT_LANGUAGE, knownLanguage, LANGUAGE_COOKIE } from '../../contract/language.ts'
import type { Language } from '../../contract/language.ts'

/** Browsers send two to six; what comes after these is not looked at. */
const TAGS_MAX = 16

/**
 * The language of a page: the one that was chosen with the switch, else the one that the browser
 * likes best, else English. Only a language that the build has counts.
 */
export function chooseLanguage(
  headers: {
    readonly cookie?: string | undefined
    readonly 'accept-language'?: string | undefined
  },
  offered: readonly Language[],
): Language {
  const chosen = chosenIn(headers.cookie ?? '')
  if (chosen !== null && offered.includes(chosen)) return chosen
  const known = new Map(offered.map((language) => [scriptOf(language), language]))
  for (const tag of byWeight(headers['accept-language'] ?? '')) {
    const language = known.get(scriptOf(tag))
    if (language !== undefined) return language
  }
  return DEFAULT_LANGUAGE
}

function chosenIn(cookies: string): Language | null {
  for (const pair of cookies.split(';')) {
    const [name, value] = pair.trim().split('=', 2)
    if (name === LANGUAGE_COOKIE) return knownLanguage(value)
  }
  return null
}

/** "zh-Hans" for zh, zh-CN and zh-SG, but not for zh-TW; "de-Latn" for every country. */
function scriptOf(tag: string): string | undefined {
  try {
    const { language, script } = new Intl.Locale(tag).maximize()
    return `${language}-${script}`
  } catch {
    return undefined
  }
}

function byWeight(accepted: string): string[] {
  const members = accepted.split(',', TAGS_MAX).map((member) => {
    const [tag = '', ...parameters] = member.split(';').map((part) => part.trim().toLowerCase())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    return { tag, weight: weight === undefined ? 1 : Number(weight.slice(2)) || 0 }
  })
  const wanted = members.filter(({ weight }) => weight > 0)
  return wanted.toSorted((one, other) => other.weight - one.weight).map(({ tag }) => tag)
}
