import { errors } from '../words/errors.ts'
import { noteAnswer, noteOutage, noteUnreachable } from './connection.ts'
import { Fault, faultOf } from './fault.ts'
import { BASE } from './place.ts'
import type { Routes } from './routes.ts'

export type RouteName = keyof Routes
export type Answer<Name extends RouteName> = Routes[Name]['answer']

type Part<Name extends RouteName, Key extends 'path' | 'query'> = Routes[Name][Key] extends object
  ? keyof Routes[Name][Key] extends never
    ? { readonly [K in Key]?: undefined }
    : object extends Routes[Name][Key]
      ? { readonly [K in Key]?: Routes[Name][Key] }
      : { readonly [K in Key]: Routes[Name][Key] }
  : never
type BodyPart<Name extends RouteName> = Routes[Name]['body'] extends undefined
  ? { readonly body?: undefined }
  : { readonly body: Routes[Name]['body'] }

/** What a route needs: path, query and body by its types. */
export type Input<Name extends RouteName> = Part<Name, 'path'> &
  Part<Name, 'query'> &
  BodyPart<Name> & {
    readonly ifMatch?: string
    /** Calls with the same key are one change; otherwise each call has a key of its own. */
    readonly key?: string
    readonly signal?: AbortSignal
  }

type AnyInput = {
  readonly path?: Readonly<Record<string, string>> | undefined
  readonly query?:
    | Readonly<Record<string, string | number | readonly string[] | undefined>>
    | undefined
  readonly body?: unknown
  readonly ifMatch?: string
  readonly key?: string
  readonly signal?: AbortSignal
}

/** Set by the shell: what happens without a session, and how a person confirms an action. */
export const onFault: {
  /** Whether the same person has signed in again, so that a call makes sense once more. */
  noSession: () => Promise<boolean>
  confirm: () => Promise<boolean>
} = { noSession: () => Promise.resolve(false), confirm: () => Promise.resolve(false) }

/** Calls the management API. Every call of the console is made here. */
export async function call<Name extends RouteName>(
  name: Name,
  input: Input<Name>,
): Promise<Answer<Name>> {
  return (await callWithEtag(name, input)).value
}

/** The same with the version of the answer, for `ifMatch` of a later change. */
export async function callWithEtag<Name extends RouteName>(
  name: Name,
  input: Input<Name>,
): Promise<{ readonly value: Answer<Name>; readonly etag: string | null }> {
  // One key for both attempts: a change that was made is not made twice.
  const { key = crypto.randomUUID(), ...sent } = input as AnyInput
  const once = name.startsWith('POST ') ? { 'idempotency-key': key } : {}
  const response = await attempt(name, sent, once).catch(async (error: unknown) => {
    if (!(error instanceof Fault && error.code === 'confirmation_required')) throw error
    if (!(await onFault.confirm())) throw error
    return attempt(name, sent, once)
  })
  // 202 and 204 have no body.
  const text = await response.text()
  const value: unknown = text === '' ? undefined : JSON.parse(text)
  return { value: value as Answer<Name>, etag: response.headers.get('etag') }
}

async function attempt(
  name: RouteName,
  input: AnyInput,
  extra: Record<string, string>,
): Promise<Response> {
  const { body, ifMatch, signal, ...where } = input
  const headers: Record<string, string> = { ...extra }
  // On every change: what has no JSON type could come from a form of another site.
  if (!name.startsWith('GET ')) headers['content-type'] = 'application/json'
  if (ifMatch !== undefined) headers['if-match'] = ifMatch
  const response = await fetch(addressOf(name, where), {
    method: name.slice(0, name.indexOf(' ')),
    headers,
    body: body === undefined ? null : JSON.stringify(body),
    signal: signal ?? null,
  }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    noteUnreachable()
    throw new Fault(errors.unreachable, { status: 0, code: 'unreachable' })
  })
  if (response.status < 500) noteAnswer()
  else noteOutage()
  if (response.ok) return response
  const fault = await faultOf(response)
  if (fault.code === 'unauthenticated' && (await onFault.noSession()))
    return attempt(name, input, extra)
  throw fault
}

/** The account of this browser's session; null without a session. Never leads to sign-in. */
export async function whoIsSignedIn(): Promise<string | null> {
  const response = await fetch(addressOf('GET /me', {}))
  return response.ok ? ((await response.json()) as Answer<'GET /me'>).id : null
}

/** The address of a route, also for downloads and event streams. */
export function addressOf(
  name: RouteName,
  { path, query }: Pick<AnyInput, 'path' | 'query'>,
): string {
  const template = name.slice(name.indexOf(' ') + 1)
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, key: string) =>
    encodeURIComponent(path?.[key] ?? ''),
  )
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(query ?? {}))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== '') search.append(key, String(one))
  return `${BASE}/management/v1${filled}${search.size > 0 ? `?${search}` : ''}`
}
