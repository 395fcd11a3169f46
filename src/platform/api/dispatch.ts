import { createHash } from 'node:crypto'
import { ApiError } from '../../contract/error.ts'
import type { BodyBudget } from '../../http/body-budget.ts'
import type { Call } from '../../http/call.ts'
import { isUnavailable } from '../../store/postgres/postgres.ts'
import { ChangeRefused } from '../../store/tenants/changes.ts'
import type { ActorRequest } from '../../tenancy/actor.ts'
import { notFound } from '../use-case/authorize.ts'
import type { Environment } from '../use-case/environment.ts'
import { identifyActor } from '../use-case/identify-actor.ts'
import { ownerOf } from '../use-case/use-case.ts'
import { answerOnce, readIdempotencyKey } from './answer-once.ts'
import { createCallerTurns, createNetworkTurns, type CallerTurns } from './caller-turns.ts'
import { checkOrigin } from './check-origin.ts'
import { clientOf } from './client.ts'
import { createMatcher, type Match } from './match-route.ts'
import {
  CALLERS_BOUNDS,
  FORM_FORMAT,
  JSON_FORMAT,
  readInputBody,
  readQuery,
  STRANGERS_BOUNDS,
  type BodyBounds,
  type BodyFormat,
} from './read-input.ts'
import type { Reply, Route, RouteRequest } from './route.ts'
import { SECURITY_HEADERS } from '../../http/security-headers.ts'
import { readCookies, readSessionHash } from './session-cookie.ts'

export const ROOT = '/management/v1'

/** How callers come in: where, with what, and in which form they speak. */
export type Door = {
  readonly root: string
  readonly identify: typeof identifyActor
  readonly format: BodyFormat
  readonly bounds: BodyBounds
}

const MANAGEMENT_DOOR: Door = {
  root: ROOT,
  identify: identifyActor,
  format: JSON_FORMAT,
  bounds: CALLERS_BOUNDS,
}

export type ManagementDeps = {
  readonly environment: Environment
  readonly bodyBudget: BodyBudget
}

/** Carries one request of the management API, or of SCIM, from its path to its answer. */
export function createManagementHandler(
  routes: readonly Route[],
  deps: ManagementDeps,
  door: Door = MANAGEMENT_DOOR,
): (call: Call) => Promise<void> {
  const match = createMatcher(routes)
  const turns = createCallerTurns()
  const lookUps = createNetworkTurns()
  return async (call) => {
    Object.assign(call.headers, SECURITY_HEADERS)
    const { path, search } = splitTarget(call.request.url ?? '')
    const found = match(call.request.method ?? '', below(path, door.root))
    if (found.kind !== 'found') throw unmatched(found)
    const { needs } = found.route
    if (needs !== undefined && deps.environment.settings[needs] === undefined) throw notFound()
    try {
      const request = await readRequest(call, found, search, { ...deps, door, lookUps })
      await answer(call, found.route, request, { ...deps, door, turns })
    } catch (error) {
      throw isUnavailable(error) ? databaseUnavailable(error) : error
    }
  }
}

function databaseUnavailable(cause: unknown): ApiError {
  return new ApiError('service_unavailable', 'The service is busy. Retry shortly.', {
    cause,
    headers: { 'retry-after': '2' },
  })
}

async function readRequest(
  call: Call,
  { route, path }: Extract<Match, { kind: 'found' }>,
  search: string,
  {
    environment,
    bodyBudget,
    door,
    lookUps,
  }: ManagementDeps & { readonly door: Door; readonly lookUps: CallerTurns },
): Promise<RouteRequest<unknown, unknown>> {
  const { headers } = call.request
  const { settings } = environment
  const cookies = readCookies(headers.cookie)
  const sessionHash = readSessionHash(cookies)
  const bySession = route.method !== 'GET' && headers.authorization === undefined
  if (bySession && route.anywhere !== true)
    checkOrigin(headers, new URL(settings.console.public_url).origin)
  const credentials = {
    authorization: headers.authorization,
    sessionHash,
    keyPrefix: settings.api.key_prefix,
  }
  const client = clientOf(call.request, settings.console.trusted_proxies, cookies, sessionHash)
  const plain: ActorRequest = { id: call.id, address: client.address, idempotency: null }
  const identify = () => door.identify(environment, credentials, plain)
  const isStranger = sessionHash === null && headers.authorization === undefined
  const actor = await (isStranger ? identify() : lookUps(client.addressPrefix, identify))
  const query = readQuery(search, route.query)
  if (client.behindUnknownProxy) environment.noteUnknownProxy()
  const known =
    actor.kind === 'person' || actor.kind === 'management_key' || actor.kind === 'scim_token'
  // Stalled bodies take from the share of their sender, so strangers must not have one together.
  const charge = bodyBudget.open(known ? ownerOf(actor) : client.addressPrefix)
  const bounds = known && route.does.permission !== 'anyone' ? door.bounds : STRANGERS_BOUNDS
  const format = route.form === true ? FORM_FORMAT : door.format
  const { bytes, value: body } = await readInputBody(call, route.body, charge, bounds, format)
  const key = route.method === 'POST' ? readIdempotencyKey(headers) : null
  if (key === null || !known) return { path, query, body, actor, client }
  const bodyHash = createHash('sha256').update(bytes).digest()
  const idempotency = { key, route: `${route.method} ${call.request.url}`, bodyHash }
  return { path, query, body, actor: { ...actor, request: { ...plain, idempotency } }, client }
}

async function answer(
  call: Call,
  route: Route,
  request: RouteRequest<unknown, unknown>,
  {
    environment,
    door,
    turns,
  }: ManagementDeps & { readonly door: Door; readonly turns: CallerTurns },
): Promise<void> {
  const run = async (): Promise<Reply> => {
    const { actor } = request
    const doIt = () => act(route, request, environment)
    // Strangers have limits of their own, and the turns of one must not be those of all.
    const value = await (actor.kind === 'nobody' ? doIt() : turns(ownerOf(actor), doIt))
    if (route.send === undefined) return route.reply(value, request)
    await route.send(value, call)
    return {}
  }
  const reply = await answerOnce(environment, route, request, run)
  if (!call.response.headersSent) respond(call, route, reply, door.format)
}

async function act(
  route: Route,
  request: RouteRequest<unknown, unknown>,
  environment: Environment,
): Promise<unknown> {
  try {
    return await route.does(environment, request.actor, route.input(request) as never)
  } catch (error) {
    if (!(error instanceof ChangeRefused)) throw error
    if (error.kind === 'not_found') throw notFound()
    throw new ApiError(error.kind, sentence(error.message))
  }
}

function respond(
  { response, headers }: Call,
  route: Route,
  reply: Reply,
  { mediaType }: BodyFormat,
): void {
  if (reply.cookies !== undefined) response.setHeader('set-cookie', reply.cookies)
  Object.assign(headers, reply.headers)
  const status = reply.status ?? route.status
  if (reply.body === undefined) {
    response.writeHead(status, headers)
    response.end()
    return
  }
  const body = Buffer.from(JSON.stringify(reply.body))
  headers['content-type'] = `${mediaType}; charset=utf-8`
  headers['content-length'] = body.length
  response.writeHead(status, headers)
  response.end(body)
}

function splitTarget(target: string): { readonly path: string; readonly search: string } {
  const at = target.indexOf('?')
  return at === -1
    ? { path: target, search: '' }
    : { path: target.slice(0, at), search: target.slice(at + 1) }
}

function below(path: string, root: string): string {
  return path.startsWith(`${root}/`) ? path.slice(root.length) : ''
}

function unmatched(match: Exclude<Match, { kind: 'found' }>): ApiError {
  if (match.kind === 'unknown') return notFound()
  const allow = match.allowed.join(', ')
  return new ApiError('unsupported_method', `This endpoint supports ${allow} only.`, {
    headers: { allow },
  })
}

/** Messages of the command line begin in lower case and have no full stop. */
function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`
}
