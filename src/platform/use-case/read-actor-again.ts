import { findManagementKeyById, findSessionById } from '../../store/people/find-actors.ts'
import type { Actor } from '../../tenancy/actor.ts'
import type { Environment } from './environment.ts'

/**
 * Who calls, as they are now: for an answer that takes long. It does not count as activity, so that
 * an idle session ends although a stream is open.
 */
export async function readActorAgain(
  { database }: Pick<Environment, 'database'>,
  actor: Actor,
): Promise<Actor> {
  const { request } = actor
  if (actor.kind === 'person') {
    const found = await findSessionById(database, actor.session.id)
    return found === undefined
      ? { kind: 'nobody', request }
      : { kind: 'person', ...found, request: actor.request }
  }
  if (actor.kind !== 'management_key') return actor
  const found = await findManagementKeyById(database, actor.id)
  return found === undefined
    ? { kind: 'nobody', request }
    : { kind: 'management_key', ...found, request: actor.request }
}
