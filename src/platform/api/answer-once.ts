import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '../../contract/error.ts'
import { findAnswer, RequestRepeated, storeAnswer } from '../../store/people/idempotency-keys.ts'
import type { Permission } from '../../tenancy/permissions.ts'
import { authorize, notFound, type Within } from '../use-case/authorize.ts'
import type { Environment } from '../use-case/environment.ts'
import { ownerOf } from '../use-case/use-case.ts'
import type { Reply, Route, RouteRequest } from './route.ts'

const KEY = /^[\x21-\x7e]{1,200}$/
const HEADER = 'Idempotency-Key'

export function readIdempotencyKey(headers: IncomingHttpHeaders): string | null {
  const key = headers['idempotency-key']
  if (key === undefined) return null
  if (typeof key === 'string' && KEY.test(key)) return key
  throw new ApiError('invalid_value', `'${HEADER}' must have 1 to 200 visible characters.`, {
    param: HEADER,
  })
}

/**
 * Runs a request once for each idempotency key, and repeats its answer for a day to whoever may
 * still make the request.
 */
export async function answerOnce(
  environment: Environment,
  route: Route,
  { actor, ...rest }: RouteRequest<unknown, unknown>,
  run: () => Promise<Reply>,
): Promise<Reply> {
  const { database } = environment
  const idempotency = actor.request?.idempotency ?? null
  if (idempotency === null) return run()
  const request = { actor: ownerOf(actor), ...idempotency }
  const known = await findAnswer(database, request)
  if (known !== undefined) {
    const input = route.input({ actor, ...rest }) as Within<Permission>
    const { grant } = await authorize(environment, actor, route.does, input)
    // It may be about a thing that is not the caller's, who now has rights to their own only.
    if (grant === 'own' && !known.own) throw notFound()
    return repeat(known)
  }
  try {
    const reply = await run()
    if (route.secret !== true) await storeAnswer(database, request, route.status, reply.body)
    return reply
  } catch (error) {
    if (!mayBeOfTheFirst(error)) throw error
    const answer = await findAnswer(database, request)
    if (answer === undefined) throw error
    return repeat(answer)
  }
}

/**
 * Whether a repetition that ran at the same time may have been refused because of what the first
 * request did: it took the last place, for example. Then its answer is that of the first.
 */
function mayBeOfTheFirst(error: unknown): boolean {
  if (error instanceof RequestRepeated) return true
  return error instanceof ApiError && ['conflict', 'too_many_attempts'].includes(error.kind)
}

function repeat(stored: NonNullable<Awaited<ReturnType<typeof findAnswer>>>): Reply {
  if (!stored.sameRequest)
    throw new ApiError('invalid_value', `'${HEADER}' was used for another request.`, {
      param: HEADER,
    })
  const headers = { 'idempotency-replayed': 'true' }
  if (stored.status !== null)
    return { headers, ...(stored.answer === null ? {} : { body: stored.answer }) }
  const { id } = stored.answer as { id: string }
  throw new ApiError('already_created', `This request was made before. It created ${id}.`)
}
