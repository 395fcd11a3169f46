import {
  GROUP_MEMBERS_MAX,
  type ScimGroupBody,
  type ScimOperation,
} from '../../contract/scim/requests.ts'
import { isObject } from '../../lib/is-object.ts'
import { invalid, readPatch, readText, type AttributeChange } from './read-patch.ts'

export type GroupState = {
  readonly displayName: string
  readonly externalId: string | null
  readonly members: readonly string[]
}

export function stateOfBody(body: ScimGroupBody): GroupState {
  return {
    displayName: body.displayName,
    externalId: readText(body.externalId, 'externalId'),
    members: [...new Set((body.members ?? []).map(({ value }) => value.toLowerCase()))],
  }
}

/** What a group is after a PATCH. */
export function stateAfterPatch(
  before: GroupState,
  operations: readonly ScimOperation[],
): GroupState {
  const after = readPatch(operations).reduce(applyChange, before)
  if (after.members.length <= GROUP_MEMBERS_MAX) return after
  throw invalid('members', `must have at most ${GROUP_MEMBERS_MAX} entries`)
}

/** Attributes that are not kept are ignored; Okta repeats the id. */
function applyChange(group: GroupState, change: AttributeChange): GroupState {
  const value = change.op === 'remove' && change.attribute !== 'members' ? undefined : change.value
  switch (change.attribute) {
    case 'displayname': {
      const displayName = readText(value, 'displayName')
      if (displayName === null) throw invalid('displayName', 'must have a value')
      return { ...group, displayName }
    }
    case 'externalid':
      return { ...group, externalId: readText(value, 'externalId') }
    case 'members':
      return { ...group, members: membersAfter(group.members, change) }
    default:
      return group
  }
}

const BY_VALUE = /^\s*value\s+eq\s+"([^"]*)"\s*$/i

function membersAfter(
  before: readonly string[],
  { op, filter, value }: AttributeChange,
): readonly string[] {
  const [, filtered] = filter === undefined ? [] : (BY_VALUE.exec(filter) ?? [])
  if (filter !== undefined && (op !== 'remove' || filtered === undefined))
    throw invalid('path', 'may choose members only as members[value eq "…"], and to remove them')
  if (op !== 'remove') return [...new Set([...(op === 'add' ? before : []), ...idsOf(value)])]
  // Without any choice all are removed. Entra ID and Okta can also name them in the value.
  if (filtered === undefined && value === undefined) return []
  const gone = filtered === undefined ? idsOf(value) : [filtered.toLowerCase()]
  return before.filter((id) => !gone.includes(id))
}

function idsOf(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value]
  return list.map((each) => {
    const id = isObject(each) ? each['value'] : each
    if (typeof id === 'string' && id.length <= 36) return id.toLowerCase()
    throw invalid('members', 'must be a list of objects with the id of a user as `value`')
  })
}
