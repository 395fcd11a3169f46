import type { Member } from '../../contract/management/member.ts'
import type { ListedMember, MemberFacts } from '../../store/people/members.ts'
import type { Access } from '../use-case/authorize.ts'
import { viewKeyCount } from '../keys/view-key-count.ts'

/** Members see names and roles, but not when and how others sign in. */
export function viewMember(
  member: MemberFacts & Partial<ListedMember>,
  { role, creatorRole }: Pick<Access, 'role' | 'creatorRole'>,
): Member {
  const sees = (role ?? creatorRole) !== 'member'
  return {
    id: member.account_id,
    email: member.email,
    name: member.name,
    role: member.role,
    joined_at: member.created_at.toISOString(),
    last_seen_at: sees ? (member.last_seen_at?.toISOString() ?? null) : null,
    second_factor: sees ? (member.second_factor ?? null) : null,
    keys: sees && member.keys !== undefined ? viewKeyCount(member.keys) : null,
  }
}
