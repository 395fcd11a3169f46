import type { Kysely } from 'kysely'
import { ApiError } from '../../contract/error.ts'
import type { Joining } from '../../contract/management/member.ts'
import {
  acceptInvitation,
  findOpenInvitation,
  type FoundInvitation,
} from '../../store/people/invitations.ts'
import { changeOwnAccount, markEmailVerified } from '../../store/people/own-account.ts'
import { setPassword } from '../../store/sign-in/passwords.ts'
import { deleteSignUps } from '../../store/sign-in/sign-ups.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import { createAccount } from '../../store/tenants/accounts.ts'
import { addMember } from '../../store/tenants/memberships.ts'
import { checkNewPassword } from '../sign-in/accounts/check-credentials.ts'
import { needsInvitation } from '../sign-in/accounts/sign-up.ts'
import { hashPassword } from '../sign-in/identity/password.ts'
import { hashToken } from '../sign-in/identity/token.ts'
import { tellNewDevice } from '../sign-in/sessions/known-device.ts'
import { openSession, type SessionClient } from '../sign-in/sessions/open-session.ts'
import { strangerAt, type Origin } from '../sign-in/sessions/prove-password.ts'
import { defineChange, defineFlow } from '../use-case/use-case.ts'
import { isStillGiven } from './giver.ts'
import { noInvitation } from './view-invitation.ts'
import { findWayIn } from './way-in.ts'

export type JoinInput = Joining & { readonly client: SessionClient & Origin }

/**
 * Creates the account of somebody who was invited by email, makes it a member and opens a session:
 * the link was sent to the address, so whoever has it reads the mail of the address. Nobody waits,
 * whatever `console.sign_up` says.
 */
export const join = defineFlow(
  { action: 'invitation.join', permission: 'anyone' },
  async ({ environment, access }, input: JoinInput) => {
    const { database, settings, passwords } = environment
    // Nothing is computed for a link that does not work.
    const { invitation } = await findJoinable(database, input.token)
    const { email } = invitation
    const { client, password, terms_version: accepted } = input
    if (accepted !== settings.console.terms?.version)
      throw new ApiError('invalid_value', 'Accept the current version of the terms.', {
        param: 'terms_version',
      })
    checkNewPassword(settings, email, password)
    const phc = await passwords.run(strangerAt(client, email), () => hashPassword(password))
    return joinWithPassword(environment, access.actor, { ...input, phc })
  },
)

async function findJoinable(database: Kysely<Tables>, token: string): Promise<FoundInvitation> {
  const found = await findOpenInvitation(database, hashToken(token))
  if (found === undefined || !(await isStillGiven(database, found.invitation, null)))
    throw noInvitation()
  const wayIn = await findWayIn(database, found)
  if (wayIn !== 'join') throw new ApiError('conflict', REFUSED[wayIn])
  return found
}

const REFUSED = {
  sign_in: 'This address has an account. Sign in to accept the invitation.',
  sso: 'Sign in with your identity provider to accept the invitation.',
  confirm: 'This link was not sent by email. Sign up with the address, and confirm it.',
} as const

const joinWithPassword = defineChange(
  { action: 'invitation.join', permission: 'anyone' },
  async (
    { environment, transaction, access },
    {
      token,
      name,
      language,
      phc,
      client,
      terms_version: termsVersion,
    }: JoinInput & {
      readonly phc: string
    },
  ) => {
    const { invitation, organization } = await findJoinable(transaction, token)
    const { email, role } = invitation
    const byInvitation = needsInvitation(environment.settings.console, email)
    const facts = { email, state: 'active', registered: true, byInvitation } as const
    const account = await createAccount(transaction, facts)
    await markEmailVerified(transaction, account.id)
    const terms = termsVersion === undefined ? {} : { termsVersion }
    await changeOwnAccount(transaction, account.id, { name, language, ...terms })
    await setPassword(transaction, account.id, phc)
    await deleteSignUps(transaction, email)
    const ids = { organizationId: organization.id, accountId: account.id }
    const { raised } = await addMember(transaction, ids, role)
    // Somebody may have used or withdrawn it before the organization was locked.
    const given = await isStillGiven(transaction, invitation, account.id)
    if (!given || !(await acceptInvitation(transaction, invitation))) throw noInvitation()
    const changing = { environment, transaction }
    const opened = await openSession(changing, access.actor, account, 'password', client)
    const { id: session, methods } = opened.session
    return {
      value: opened,
      target: { kind: 'member', id: account.id, label: email },
      changes: { role: [null, role], session: [null, session], methods: [null, methods] },
      organizationId: organization.id,
      raised,
      afterwards: () => tellNewDevice(environment, email, opened),
    }
  },
)
