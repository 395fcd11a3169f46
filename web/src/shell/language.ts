import { useEffect } from 'react'
import { knownLanguage, LANGUAGE_COOKIE, type Language } from '../../../src/contract/language.ts'
import { call } from '../api/call.ts'
import { BASE } from '../api/place.ts'
import type { Me } from '../api/routes.ts'
import { language as words } from '../words/language.ts'

/** Of this page. Null in a build for tests, whose language nobody chooses. */
export const LANGUAGE: Language | null = knownLanguage(words.code)

/** For a new account: what the person reads now. */
export const CHOSEN_LANGUAGE = LANGUAGE === null ? {} : { language: LANGUAGE }

const YEAR_S = 31_536_000
/** Chosen in this tab before signing in: the account gets it then. */
const CHOSEN_AS = 'headrace-language-chosen'

/** The server reads it and sends the next page in this language. */
function remember(language: Language): void {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  const attributes = `Path=${BASE === '' ? '/' : BASE}; Max-Age=${YEAR_S}; SameSite=Lax${secure}`
  document.cookie = `${LANGUAGE_COOKIE}=${language}; ${attributes}`
}

function isRemembered(language: Language): boolean {
  return document.cookie.split('; ').includes(`${LANGUAGE_COOKIE}=${language}`)
}

/** Before signing in: for this browser. */
export function chooseLanguage(language: Language): void {
  sessionStorage.setItem(CHOSEN_AS, language)
  remember(language)
  location.reload()
}

/** For the account: its pages in every browser, and its emails. */
export async function chooseOwnLanguage(language: Language): Promise<void> {
  await call('PATCH /me', { body: { language } })
  remember(language)
  location.reload()
}

/** Shows the pages in the language of the account, unless another one was just chosen here. */
export function useLanguageOf(me: Me | undefined): void {
  useEffect(() => {
    if (me !== undefined && LANGUAGE !== null) void follow(me)
  }, [me])
}

async function follow({ language }: Me): Promise<void> {
  const chosen = knownLanguage(sessionStorage.getItem(CHOSEN_AS))
  sessionStorage.removeItem(CHOSEN_AS)
  if (chosen !== null && chosen !== language) {
    await call('PATCH /me', { body: { language: chosen } }).catch(() => {})
    return
  }
  if (language === null || language === LANGUAGE || isRemembered(language)) return
  remember(language)
  // Without cookies the page stays as it is, instead of loading again and again.
  if (isRemembered(language)) location.reload()
}
