import { deflateSync, gzipSync } from 'node:zlib'
import type { Random } from '../../harness/figures/random.ts'
import { VALID_REQUESTS } from './requests.ts'

export type MutatedBody = {
  readonly name: string
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string>>
}

/** Sizes that are far beyond honest ones and still quick to send ten thousand times. */
const LONG_CHARACTERS = 30_000
const MANY_ITEMS = 3_000
const DEEP_LEVELS = 5_000

const PLACES = ['__proto__', 'constructor', 'prototype', 'toString', '', 'model ', '\u0000']

/** Values that belong nowhere in particular, as texts: some have no value in JavaScript. */
const ODD_TEXTS = String.raw`
  null true false 0 -0 -1 1 1.5 2 1e308 1e999 -1e999 1e-400 0.1e1 1E0
  9007199254740991 9007199254740993 123456789012345678901234567890
  "" "x" "text" "user" "function" "json_object" "auto" "malformed/pebble"
  [] {} [[]] [null] [{}] {"":{}} {"a":{"a":{}}} ["text"] {"type":"text"}
  "\ud800" "\udc00\ud800" "\u0000" "\uffff" "\u202e" "🙂"
  {"__proto__":{"stream":true}} {"constructor":{"prototype":{}}} {"toJSON":1} {"then":1}
  {"$ref":"#"} {"length":1e9}
  NaN Infinity undefined 01 .5 +1 0x10 'x' 1n - --1 nul "`
  .trim()
  .split(/\s+/)

type Path = readonly (string | number)[]

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const members = Object.entries(value).flatMap(([key, member]) =>
    pathsOf(member, [...path, Array.isArray(value) ? Number(key) : key]),
  )
  return [path, ...members]
}

/** The text of a value in which one place holds another text. */
function textWith(value: unknown, path: Path, text: string | undefined): string {
  const [key, ...rest] = path
  if (key === undefined) return text ?? 'null'
  const parts = Object.entries(value as object).flatMap(([name, member]) => {
    const mine = String(key) === name
    // A member that is taken out.
    if (mine && rest.length === 0 && text === undefined) return []
    const inner = mine ? textWith(member, rest, text) : JSON.stringify(member)
    return [Array.isArray(value) ? inner : `${JSON.stringify(name)}:${inner}`]
  })
  return Array.isArray(value) ? `[${parts.join()}]` : `{${parts.join()}}`
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<string | number, unknown>)[key], value)
}

type Mutation = (request: object, random: Random) => string | Buffer

function atPlace(text: (random: Random) => string | undefined): Mutation {
  return (request, random) =>
    textWith(request, random.pick(pathsOf(request).slice(1)), text(random))
}

/** Puts something into an object of the request as its first member. */
function asMember(member: (random: Random) => string): Mutation {
  return (request, random) => {
    const objects = pathsOf(request).filter((path) => {
      const value = valueAt(request, path)
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    })
    const path = random.pick(objects)
    const own = JSON.stringify(valueAt(request, path)).slice(1)
    return textWith(request, path, `{${member(random)}${own === '}' ? '' : ','}${own}`)
  }
}

function onText(change: (text: string, random: Random) => string): Mutation {
  return (request, random) => change(JSON.stringify(request), random)
}

function onBytes(change: (bytes: Buffer, random: Random) => Buffer): Mutation {
  return (request, random) => change(Buffer.from(JSON.stringify(request)), random)
}

function nested(opening: string, closing: string, levels: number): string {
  return `${opening.repeat(levels)}1${closing.repeat(levels)}`
}

function insert(bytes: Buffer, at: number, inserted: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)])
}

/** No code unit stands alone, an overlong form, a surrogate in UTF-8, beyond the last character. */
const BAD_UTF8 = [
  [0xff],
  [0xc3],
  [0x80],
  [0xc0, 0xaf],
  [0xed, 0xa0, 0x80],
  [0xf5, 0x80, 0x80, 0x80],
]

const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'other value': atPlace((random) => random.pick(ODD_TEXTS)),
  'taken out': atPlace(() => undefined),
  'long string': atPlace((random) => `"${'x'.repeat(random.between(1, LONG_CHARACTERS))}"`),
  'many items': atPlace(
    (random) => `[${`${random.pick(ODD_TEXTS)},`.repeat(random.between(1, MANY_ITEMS))}0]`,
  ),
  'deep arrays': atPlace((random) => nested('[', ']', random.between(1, DEEP_LEVELS))),
  'deep objects': atPlace((random) => nested('{"a":', '}', random.between(1, DEEP_LEVELS))),
  'deep schema': atPlace((random) =>
    nested('{"properties":{"a":', '}}', random.between(1, DEEP_LEVELS)),
  ),
  'foreign member': asMember(
    (random) => `${JSON.stringify(random.pick(PLACES))}:${random.pick(ODD_TEXTS)}`,
  ),
  'repeated member': asMember((random) => {
    const name = random.pick(['model', 'role', 'content', 'type', 'name'])
    return `${JSON.stringify(name)}:${random.pick(ODD_TEXTS)}`
  }),
  'many members': asMember((random) =>
    Array.from({ length: random.between(1, MANY_ITEMS) }, (_, index) => `"k${index}":0`).join(),
  ),
  'cut off': onText((text, random) => text.slice(0, random.between(0, text.length - 1))),
  'followed by more': onText(
    (text, random) => text + random.pick(['{}', ',', ']', '\0', text, 'x']),
  ),
  'a character gone': onText((text, random) => {
    const at = random.between(0, text.length - 1)
    return text.slice(0, at) + text.slice(at + 1)
  }),
  'not strict': onText((text, random) =>
    random.pick([
      text.replace('}', ',}'),
      text.replace('{', '{//x\n'),
      text.replaceAll('"', "'"),
      text.replace(':', '='),
    ]),
  ),
  'an odd escape': onText((text, random) =>
    text.replace(
      /"Hello"|"user"|"d"/,
      random.pick([
        String.raw`"\ud83d"`,
        String.raw`"\u00"`,
        String.raw`"\x41"`,
        String.raw`"\u0000"`,
        '"a\nb"',
        '"\t"',
      ]),
    ),
  ),
  'a root of another kind': (_request, random) => random.pick(ODD_TEXTS),
  'bad UTF-8': onBytes((bytes, random) =>
    insert(bytes, random.between(0, bytes.length), Buffer.from(random.pick(BAD_UTF8))),
  ),
  'a random byte': onBytes((bytes, random) => {
    const copy = Buffer.from(bytes)
    copy[random.between(0, copy.length - 1)] = random.between(0, 255)
    return copy
  }),
  'a byte order mark': onBytes((bytes) => insert(bytes, 0, Buffer.from([0xef, 0xbb, 0xbf]))),
  'UTF-16': onBytes((bytes) => Buffer.from(bytes.toString(), 'utf16le')),
  'random bytes': (_request, random) =>
    Buffer.from(Array.from({ length: random.between(0, 300) }, () => random.between(0, 255))),
}

const MEDIA_TYPES = [
  'text/plain',
  'application/xml',
  'multipart/form-data; boundary=x',
  'application/json,text/plain',
  'application/json;',
  'application/json; charset=utf-16',
  ' application/json',
  'json',
  '*/*',
  ';',
  'application/x-ndjson',
  'application/vnd.api+json',
  'APPLICATION/JSON; q=1',
]

const ENCODINGS = ['gzip', 'deflate', 'br', 'zstd', 'identity', 'gzip, gzip', 'x', 'GZIP']

export function mutateBody(random: Random): MutatedBody {
  const [name, mutation] = random.pick(Object.entries(MUTATIONS))
  const body = Buffer.from(mutation(random.pick(VALID_REQUESTS), random) as string)
  const json = { 'content-type': 'application/json' }
  if (random.chance(0.03)) {
    const headers = { 'content-type': random.pick(MEDIA_TYPES) }
    return { name: `${name}, media type`, body, headers }
  }
  if (random.chance(0.03)) {
    const encoding = random.pick(ENCODINGS)
    const headers = { ...json, 'content-encoding': encoding }
    // The body need not be encoded as the header says.
    const encoded = random.pick([body, gzipSync(body), deflateSync(body)])
    return { name: `${name}, encoding ${encoding}`, body: encoded, headers }
  }
  return { name, body, headers: json }
}
