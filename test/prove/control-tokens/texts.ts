import { SHAPES } from '../../harness/clients/token-shapes.ts'

/** A text that is meant to bring a token through; `other` is another token of the same model. */
type Attack = { readonly name: string; build(token: string, other: string): string }

const middle = (token: string) => Math.ceil(token.length / 2)
const begin = (token: string) => token.slice(0, middle(token))
const end = (token: string) => token.slice(middle(token))

/** Inserted behind every character. */
const between = (mark: string) => (token: string) => Array.from(token).join(mark)
/** Inserted behind the first character only, where the break goes. */
const behindFirst = (mark: string) => (token: string) => token.slice(0, 1) + mark + token.slice(1)

/** ASCII in full width: normalizers of the kind NFKC turn it back. */
const wide = (token: string) =>
  token.replace(/[!-~]/g, (text) => String.fromCharCode(text.charCodeAt(0) + 0xfee0))

export const ATTACKS: readonly Attack[] = [
  ...SHAPES,
  // What removes or splits the inner token must not make the outer one.
  {
    name: 'within another',
    build: (token, other) => `${other.slice(0, 1)}${token}${other.slice(1)}`,
  },
  {
    name: 'in the middle of another',
    build: (token, other) => `${begin(other)}${token}${end(other)}`,
  },
  { name: 'between halves of another', build: (token, other) => end(other) + token + begin(other) },
  { name: 'beside another', build: (token, other) => `${token}${other}${token}` },
  { name: 'over its own end', build: (token) => `${token}${token.slice(1)}${token.slice(1)}` },
  { name: 'after a bracket', build: (token) => `<${token}>[${token}]|${token}|` },
  { name: 'with spaces', build: (token) => ` ${token} \u00a0${token}\u3000` },
  // Some normalizers turn one of these into the other.
  { name: 'with other spaces', build: (token) => token.replaceAll('▁', ' ') },
  { name: 'with visible spaces', build: (token) => token.replaceAll(' ', '▁') },
  { name: 'with no-break spaces', build: (token) => token.replaceAll(/[ ▁]/g, '\u00a0') },
  // Nothing that the gateway or a normalizer strips may join what was apart.
  { name: 'with the break itself', build: behindFirst('\u200b') },
  { name: 'with breaks everywhere', build: between('\u200b') },
  { name: 'after a break', build: (token) => `\u200b${token}\u200b` },
  { name: 'with a soft hyphen', build: behindFirst('\u00ad') },
  { name: 'with a joiner', build: behindFirst('\u2060') },
  { name: 'with a byte order mark', build: behindFirst('\ufeff') },
  { name: 'with an accent', build: behindFirst('\u0301') },
  { name: 'with NUL', build: behindFirst('\0') },
  { name: 'with half a character', build: behindFirst('\ud83d') },
  { name: 'in upper case', build: (token) => token.toUpperCase() },
  { name: 'in lower case', build: (token) => token.toLowerCase() },
  { name: 'in full width', build: wide },
  { name: 'with the Kelvin sign', build: (token) => token.replaceAll('K', '\u212a') },
  { name: 'with narrow bars', build: (token) => token.replaceAll('｜', '|') },
  { name: 'with wide bars', build: (token) => token.replaceAll('|', '｜') },
  // Templates write names between brackets of their own.
  { name: 'without its last character', build: (token) => token.slice(0, -1) },
  { name: 'without its first character', build: (token) => token.slice(1) },
  { name: 'without its brackets', build: (token) => token.replace(/^<(.*)>$/s, '$1') },
  { name: 'without its slash', build: (token) => token.replace(/^<\/(.*)>$/s, '$1') },
]
