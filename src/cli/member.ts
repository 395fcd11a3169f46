import type { Command } from 'commander'
import { ROLES, type Role } from '../tenancy/role.ts'
import { openOperator, type Operator } from './operator.ts'
import {
  byOption,
  choice,
  jsonOption,
  organizationOption,
  pageOf,
  withPage,
  type ByOption,
  type JsonOption,
  type PageOptions,
} from './options.ts'
import { printRecord, printTable } from './print.ts'

type MemberOptions = JsonOption & ByOption & { readonly organization: string }

export function registerMember(program: Command): void {
  const member = program.command('member').description('manage the members of an organization')
  registerAdd(member)
  registerChange(member)
  registerRemove(member)
  registerList(member)
}

function registerAdd(member: Command): void {
  member
    .command('add <account>')
    .description('add an account, or restore a removed member')
    .addOption(organizationOption())
    .addOption(choice('--role <role>', 'role of the member', ROLES).default('member'))
    .addOption(byOption())
    .addOption(jsonOption())
    .action(async (reference: string, options: MemberOptions & { role: Role }) => {
      await using operator = await openOperator()
      const { addMember } = await import('../platform/members/add-member.ts')
      const { ids, names } = await find(operator, reference, options)
      // As it was given: an address that was never confirmed names nobody.
      const input = { ...ids, account: reference, role: options.role }
      const { role, state } = await operator.act(addMember, input, options)
      printRecord({ ...names, role, state }, options)
    })
}

function registerChange(member: Command): void {
  member
    .command('change <account>')
    .description('change the role of a member')
    .addOption(organizationOption())
    .addOption(choice('--role <role>', 'role of the member', ROLES).makeOptionMandatory())
    .addOption(byOption())
    .addOption(jsonOption())
    .action(async (reference: string, options: MemberOptions & { role: Role }) => {
      await using operator = await openOperator()
      const { changeMember } = await import('../platform/members/change-member.ts')
      const { ids, names } = await find(operator, reference, options)
      const { role } = await operator.act(changeMember, { ...ids, role: options.role }, options)
      printRecord({ ...names, role, state: 'active' }, options)
    })
}

function registerRemove(member: Command): void {
  member
    .command('remove <account>')
    .description('remove a member; their API keys stop working on the next request')
    .addOption(organizationOption())
    .option('--move-keys', 'let the organization take over their API keys, which keep working')
    .addOption(byOption())
    .addOption(jsonOption())
    .action(async (reference: string, options: MemberOptions & { moveKeys?: boolean }) => {
      await using operator = await openOperator()
      const { removeMember } = await import('../platform/members/remove-member.ts')
      const { ids, names } = await find(operator, reference, options)
      const keys = options.moveKeys === true ? 'move' : 'stop'
      const { role, state } = await operator.act(removeMember, { ...ids, keys }, options)
      printRecord({ ...names, role, state }, options)
    })
}

function registerList(member: Command): void {
  withPage(member.command('list').description('list members, including removed ones'))
    .addOption(organizationOption())
    .action(async (options: PageOptions & MemberOptions) => {
      await using operator = await openOperator()
      const { listMembers } = await import('../store/tenants/memberships.ts')
      const { findOrganization } = await import('../store/tenants/organizations.ts')
      const organization = await findOrganization(operator.database, options.organization)
      const rows = await listMembers(operator.database, organization.id, pageOf(options))
      printTable(['account_id', 'email', 'role', 'state'], rows, options)
    })
}

async function find(operator: Operator, account: string, options: MemberOptions) {
  const { findAccount } = await import('../store/tenants/accounts.ts')
  const { findOrganization } = await import('../store/tenants/organizations.ts')
  const organizationRow = await findOrganization(operator.database, options.organization)
  const accountRow = await findAccount(operator.database, account)
  return {
    ids: { organization: organizationRow.id, account: accountRow.id },
    names: { organization: organizationRow.slug, account: accountRow.email },
  }
}
