import type { ReactNode } from 'react'

export type Tone = 'ok' | 'warn' | 'bad' | 'accent' | 'line'

/** A state as a word on a tinted ground. */
export function Tag({ tone, children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return <span className={tone === undefined ? 'tag' : `tag ${tone}`}>{children}</span>
}

/** A point before a word; the word says the same. */
export function Dot({ tone }: { readonly tone: 'ok' | 'warn' | 'bad' | 'off' | 'live' }) {
  return <i className={`dot ${tone}`} aria-hidden />
}
