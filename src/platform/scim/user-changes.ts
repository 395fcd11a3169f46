import {
  USER_NAME_LENGTH_MAX,
  type ScimOperation,
  type ScimUserBody,
} from '../../contract/scim/requests.ts'
import { isObject } from '../../lib/is-object.ts'
import type { ScimProfile } from '../../store/people/scim-users.ts'
import { invalid, readActive, readPatch, readText, type AttributeChange } from './read-patch.ts'

/** What a request changes of a user; what is absent stays. */
export type UserChanges = Partial<ScimProfile> & { readonly active?: boolean }

/** Everything: what the body does not have has no value from now on. */
export function changesOfBody(body: ScimUserBody): ScimProfile & { readonly active: boolean } {
  return {
    userName: body.userName,
    externalId: readText(body.externalId, 'externalId'),
    displayName: readText(body.displayName, 'displayName'),
    givenName: readText(body.name?.givenName, 'name.givenName'),
    familyName: readText(body.name?.familyName, 'name.familyName'),
    active: body.active === undefined ? true : readActive(body.active),
  }
}

/**
 * Attributes that are not kept are ignored, addresses too: a provider that says more about a person
 * must still be able to say that they have gone.
 */
export function changesOfPatch(operations: readonly ScimOperation[]): UserChanges {
  const parts = readPatch(operations).map((change) =>
    changeOf(change.op === 'remove' ? { ...change, value: undefined } : change),
  )
  return Object.assign({}, ...parts) as UserChanges
}

function changeOf({ op, attribute, value }: AttributeChange): UserChanges {
  switch (attribute) {
    case 'active':
      if (op === 'remove') throw invalid('active', 'cannot be removed')
      return { active: readActive(value) }
    case 'username': {
      const userName = readText(value, 'userName', USER_NAME_LENGTH_MAX)
      if (userName === null) throw invalid('userName', 'must have a value')
      return { userName }
    }
    case 'externalid':
      return { externalId: readText(value, 'externalId') }
    case 'displayname':
      return { displayName: readText(value, 'displayName') }
    case 'name.givenname':
      return { givenName: readText(value, 'name.givenName') }
    case 'name.familyname':
      return { familyName: readText(value, 'name.familyName') }
    case 'name':
      return namesOf(value, op === 'add')
    default:
      return {}
  }
}

/** An added name keeps what it does not mention; a replaced one does not. */
function namesOf(value: unknown, adds: boolean): UserChanges {
  const { givenName, familyName } = isObject(value) ? value : {}
  return {
    ...((givenName !== undefined || !adds) && {
      givenName: readText(givenName, 'name.givenName'),
    }),
    ...((familyName !== undefined || !adds) && {
      familyName: readText(familyName, 'name.familyName'),
    }),
  }
}
