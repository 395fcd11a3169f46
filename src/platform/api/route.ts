import type { Static, TObject, TSchema } from 'typebox'
import { EMPTY } from '../../contract/management/schemas.ts'
import type { Call } from '../../http/call.ts'
import type { Actor } from '../../tenancy/actor.ts'
import type { UseCase } from '../use-case/use-case.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What a browser or a script sent besides its input. */
export type Client = {
  readonly userAgent: string | null
  /** Undefined if it cannot be read. */
  readonly address: string | undefined
  /** The network of the client, /24 or /48. */
  readonly addressPrefix: string
  /** It came through a proxy that the configuration does not name, whose network this then is. */
  readonly behindUnknownProxy: boolean
  /** The value of If-Match: the change is made only if the thing is still the one it names. */
  readonly ifMatch: string | null
  /** The hash of the session cookie, if one was sent. */
  readonly sessionHash: Buffer | null
  /** Other cookies by name. */
  readonly cookies: ReadonlyMap<string, string>
  /** What the browser remembers of accounts that signed in with it. */
  readonly deviceTokens: readonly string[]
}

/** A checked request, from which a route makes the input of its use case. */
export type RouteRequest<Query, Body> = {
  readonly path: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
  readonly actor: Actor
  readonly client: Client
}

/** What is sent. An undefined body sends none. */
export type Reply = {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Values of Set-Cookie. */
  readonly cookies?: readonly string[]
  /** Instead of the route's status: a redirect. */
  readonly status?: number
}

type Facts = {
  readonly method: Method
  /** Below the root, with parameters in braces: `/organizations/{organization}/keys`. */
  readonly path: string
  readonly summary: string
  /** Without these settings it is as unknown as any other path. */
  readonly needs?: 'payments'
  readonly status: 200 | 201 | 202 | 204 | 303
  /** The schema of the answer; absent if there is none. */
  readonly answer?: TSchema
  /** The type of an answer that is not JSON. */
  readonly contentType?: string
  /** The answer contains a secret, so it is not stored for a repeated request. */
  readonly secret?: true
  /**
   * Scripts call it without credentials, so no origin is asked for. What it does must not depend on
   * who is signed in.
   */
  readonly anywhere?: true
  /** The body is a form, because a standard says so. */
  readonly form?: true
  /** For the documentation. */
  readonly example?: { readonly query?: string; readonly body?: object }
}

/** One row of the route table, as the dispatcher, the documents and the matrix read it. */
export type Route = Facts & {
  readonly does: UseCase<never, unknown>
  readonly query: TObject
  readonly body: TObject | null
  input(request: RouteRequest<unknown, unknown>): unknown
  reply(value: unknown, request: RouteRequest<unknown, unknown>): Reply
  /** Sends the answer itself, for streams. */
  readonly send?: (value: unknown, call: Call) => Promise<void>
}

type Definition<Query extends TObject, Body extends TObject, Input, Value> = Facts & {
  readonly does: UseCase<Input, Value>
  readonly query?: Query
  readonly body?: Body
  readonly input: (request: RouteRequest<Static<Query>, Static<Body>>) => Input
  /** Default: the value is the body. */
  readonly reply?: (value: Value, request: RouteRequest<Static<Query>, Static<Body>>) => Reply
  readonly send?: (value: Value, call: Call) => Promise<void>
}

/** Checks at compile time that the input fits the use case; the table forgets the types. */
export function defineRoute<Query extends TObject, Body extends TObject, Input, Value>(
  definition: Definition<Query, Body, Input, Value>,
): Route {
  const { query, body, reply, ...facts } = definition
  const showValue = (value: Value): Reply => (definition.status === 204 ? {} : { body: value })
  return {
    ...(facts as Facts),
    query: query ?? EMPTY,
    body: body ?? null,
    does: definition.does as UseCase<never, unknown>,
    input: definition.input as Route['input'],
    reply: reply ?? showValue,
    ...(definition.send !== undefined && { send: definition.send as Route['send'] }),
  } as Route
}
