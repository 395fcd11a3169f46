import type { Transaction } from 'kysely'
import { ApiError } from '../../contract/error.ts'
import type { ScimUserBody } from '../../contract/scim/requests.ts'
import {
  findAccountByEmail,
  findScimUser,
  storeScimUser,
  type ScimProfile,
} from '../../store/people/scim-users.ts'
import { findMember } from '../../store/people/members.ts'
import type { AccountRow, OrganizationRow, Tables } from '../../store/postgres/tables.ts'
import { createVerifiedAccount } from '../../store/sign-in/sso-accounts.ts'
import { lockAccount } from '../../store/tenants/accounts.ts'
import { lockOrganization } from '../../store/tenants/organizations.ts'
import { pageAddress } from '../sign-in/accounts/links.ts'
import { readName } from '../sign-in/accounts/read-name.ts'
import type { Environment } from '../use-case/environment.ts'
import { tellAccounts } from '../members/tell-owners.ts'
import { defineChange } from '../use-case/use-case.ts'
import { ROLE_WITHOUT_GROUP } from './given-roles.ts'
import {
  beginMembership,
  checkVerifiedAddress,
  endMembership,
  type Provisioned,
  type Provisioning,
} from './scim-membership.ts'
import { readActive } from './read-patch.ts'
import { scimRoot } from './scim-root.ts'
import { changesOfBody } from './user-changes.ts'
import { viewUser } from './view-user.ts'

/** Makes somebody a member, with a new account or the one that has the address. */
export const createUser = defineChange(
  { action: 'scim_user.create', permission: 'people:provision' },
  async ({ environment, transaction, access }, { body }: { readonly body: ScimUserBody }) => {
    const { id: organizationId } = access.organization
    const provisioning = { environment, transaction, organizationId }
    const { active, ...profile } = changesOfBody(body)
    const email = addressOf(body)
    await checkVerifiedAddress(transaction, organizationId, email)
    const known = await findAccountByEmail(transaction, email)
    if (known !== undefined) checkConfirmed(known)
    const account = known ?? (await openAccount(environment, transaction, email, profile))
    await lockAccount(transaction, account.id, 'share')
    await lockOrganization(transaction, organizationId)
    const begun = await join(provisioning, account.id)
    const ids = { organizationId, accountId: account.id }
    await storeScimUser(transaction, ids, profile)
    const ended = active ? undefined : await leave(provisioning, account.id)
    const user = (await findScimUser(transaction, organizationId, account.id))!
    return {
      value: viewUser(scimRoot(environment.settings), user),
      target: { kind: 'member', id: account.id, label: account.email },
      changes: {
        user_name: [null, profile.userName],
        ...begun.changes,
        ...ended?.changes,
        account: [null, known === undefined ? 'created' : 'linked'],
      },
      raised: ended?.raised ?? begun.raised,
      afterwards: () => {
        if (known !== undefined && begun.raised.length > 0 && active)
          tellProvisioned(environment, access.organization, known.email)
      },
    }
  },
)

/** Somebody who had an account learns that another party decides about a part of it. */
function tellProvisioned(
  environment: Environment,
  { id, slug, name }: Pick<OrganizationRow, 'id' | 'slug' | 'name'>,
  email: string,
): void {
  const link = pageAddress(environment.settings, `o/${slug}`)
  const message = { kind: 'provisioned', organization: name, link } as const
  environment.later(id, () => tellAccounts(environment, [email], message))
}

/** The primary address, else the first one, else the user name. */
function addressOf({ userName, emails = [] }: ScimUserBody): string {
  const named = emails.filter(({ value }) => value !== undefined && value !== '')
  const primary = named.find((email) => email.primary !== undefined && readActive(email.primary))
  return (primary ?? named[0])?.value ?? userName
}

/** Where the service sends no email, a stranger may have signed up with the address. */
function checkConfirmed({ email_verified_at: verifiedAt }: AccountRow): void {
  if (verifiedAt !== null) return
  throw new ApiError(
    'already_exists',
    'There is an account with this address that was never confirmed, so it may belong to ' +
      'somebody else. Whoever receives its email can confirm it by setting a new password.',
  )
}

async function openAccount(
  { settings }: Environment,
  transaction: Transaction<Tables>,
  email: string,
  { displayName, givenName, familyName }: ScimProfile,
): Promise<AccountRow> {
  const names = [givenName, familyName].filter((name) => name !== null).join(' ')
  return createVerifiedAccount(transaction, {
    email,
    name: readName(displayName ?? names),
    registered: settings.console.terms === undefined,
  })
}

/** Members stay what they are; everybody else becomes one. */
async function join(provisioning: Provisioning, accountId: string): Promise<Provisioned> {
  const { transaction, organizationId } = provisioning
  const user = await findScimUser(transaction, organizationId, accountId)
  if (user?.linked === true)
    throw new ApiError('already_exists', 'A user with this address already exists.')
  const member = await findMember(transaction, organizationId, accountId)
  if (member?.state === 'active') return { changes: {}, raised: [] }
  return beginMembership(provisioning, accountId, ROLE_WITHOUT_GROUP)
}

async function leave(provisioning: Provisioning, accountId: string): Promise<Provisioned> {
  const { transaction, organizationId } = provisioning
  const user = (await findScimUser(transaction, organizationId, accountId))!
  return endMembership(provisioning, user)
}
