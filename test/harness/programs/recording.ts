import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { Check } from './program.ts'
import type { Seen } from './recording-proxy.ts'
import type { ProgramRun, Results } from './run-program.ts'

/** What a program sent and how it went: a file of test/clients/recorded. */
export type Recording = {
  readonly program: string
  readonly version: string
  /** False if the requests were written by hand, because the program does not run here. */
  readonly recorded: boolean
  readonly date: string
  readonly checks: Results
  /** Whether the reasoning of the step before is in the request with a tool's result. */
  readonly returnsReasoning: boolean | null
  readonly requests: readonly RecordedRequest[]
}

export type RecordedRequest = {
  readonly check: string
  /** Below the API root, if it is not a chat completion. */
  readonly path?: string
  readonly body: Readonly<Record<string, unknown>>
  readonly expected: 200 | Refusal
}

type Refusal = {
  readonly status: number
  readonly code: string | null
  readonly param: string | null
}
type Message = { readonly role: string; readonly reasoning_content?: unknown }

const FOLDER = resolve(import.meta.dirname, '..', '..', 'clients', 'recorded')
const CHAT = '/chat/completions'
/** Programs name such folders as examples, but no file of ours may look as if it had one. */
const HOME_FOLDER = /\/(?:home|Users)\/[\w.-]+/g
const TEXT_LENGTH_MAX = 200
const DESCRIPTION_LENGTH_MAX = 60

export function readRecordings(): ReadonlyMap<string, Recording> {
  const files = globSync('*.json', { cwd: FOLDER }).toSorted()
  return new Map(files.map((file) => [basename(file, '.json'), readRecording(file)]))
}

function readRecording(file: string): Recording {
  return JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Recording
}

export function writeRecording(key: string, recording: Recording): void {
  writeFileSync(join(FOLDER, `${key}.json`), `${JSON.stringify(recording, null, 2)}\n`)
}

export function makeRecording(
  { name, version }: { readonly name: string; readonly version: string },
  { results, seen, places }: ProgramRun,
): Recording {
  const chosen = Object.entries(seen).flatMap(([check, all]) =>
    // An aborted request is that of the check `stream`.
    check === 'abort' && seen.stream !== undefined ? [] : choose(check as Check, all),
  )
  const requests = dropRepeated(chosen)
  const lastResult = requests.findLast(({ request }) => hasResult(request))
  return {
    program: name,
    version,
    recorded: true,
    date: new Date().toISOString().slice(0, 10),
    checks: results,
    returnsReasoning: lastResult === undefined ? null : returnsReasoning(lastResult.request),
    requests: requests.map(({ check, request }) => record(check, request, places)),
  }
}

type Chosen = { readonly check: string; readonly request: Seen }

/** Agents send the same parameters and tools with every prompt: those are kept once. */
function dropRepeated(all: readonly Chosen[]): Chosen[] {
  const kinds = new Map<string, Chosen>()
  for (const each of all) {
    const { path, status, body } = each.request
    const kind = { path, status, result: hasResult(each.request), ...body, messages: null }
    const name = JSON.stringify(kind)
    if (!kinds.has(name)) kinds.set(name, each)
  }
  return [...kinds.values()]
}

/** The last request of each kind: with a tool's result or not, and by its set of parameters. */
function choose(check: Check, all: readonly Seen[]): Chosen[] {
  const kinds = new Map<string, Chosen>()
  for (const request of all) {
    if (request.body === undefined) continue
    const name = hasResult(request) ? `${check}, result` : check
    const parameters = Object.keys(request.body).toSorted().join()
    kinds.set(`${name} ${parameters}`, { check: name, request })
  }
  return [...kinds.values()]
}

function messagesOf({ body }: Seen): readonly Message[] {
  return (body?.['messages'] ?? []) as readonly Message[]
}

function hasResult(seen: Seen): boolean {
  return messagesOf(seen).some(({ role }) => role === 'tool')
}

function returnsReasoning(seen: Seen): boolean {
  return messagesOf(seen).some(({ reasoning_content: text }) => typeof text === 'string')
}

function record(check: string, seen: Seen, places: readonly string[]): RecordedRequest {
  const path = seen.path.replace(/^\/compat\/v1/, '')
  const body = shorten(seen.body ?? {}, '', places) as RecordedRequest['body']
  const other = path === CHAT ? {} : { path }
  return { check, ...other, body, expected: seen.status === 200 ? 200 : refusalOf(seen) }
}

function refusalOf({ status, error }: Seen): Refusal {
  const { code, param } = (JSON.parse(error) as { error: Omit<Refusal, 'status'> }).error
  return { status, code, param }
}

/** Keeps every parameter, but not the length of its texts, nor where this machine has its files. */
function shorten(value: unknown, key: string, places: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((each) => shorten(each, key, places))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, shorten(each, name, places)]),
    )
  if (typeof value !== 'string') return value
  const text = places
    .reduce((known, place) => known.replaceAll(place, '/project'), value)
    .replaceAll(HOME_FOLDER, '/project')
  // Cut JSON would not be JSON any more.
  if (key === 'arguments') return text
  const max = key === 'description' ? DESCRIPTION_LENGTH_MAX : TEXT_LENGTH_MAX
  return text.length > max ? `${text.slice(0, max)}…` : text
}
