import { listOwnerEmails } from '../../store/people/members.ts'
import { listOperatorEmails } from '../../store/tenants/accounts.ts'
import type { Environment } from '../use-case/environment.ts'
import type { Email } from '../mail/emails.ts'

/** Of one organization, or of the service. With more, those who came last are not told. */
const TOLD_MAX = 20

type Telling = Pick<Environment, 'database' | 'loginLimits' | 'mailer'>

/** Sends an email to the owners of an organization, except to whoever has had it already. */
export async function tellOwners(
  environment: Telling,
  organizationId: string,
  message: Email,
  except?: string,
): Promise<void> {
  if (!environment.mailer.configured) return
  const emails = await listOwnerEmails(environment.database, organizationId, TOLD_MAX)
  await tellAccounts(
    environment,
    emails.filter((email) => email !== except),
    message,
  )
}

/** Sends an email to the operators of the service. */
export async function tellOperators(environment: Telling, message: Email): Promise<void> {
  if (!environment.mailer.configured) return
  await tellAccounts(environment, await listOperatorEmails(environment.database, TOLD_MAX), message)
}

/**
 * Sends an email about what happened to things of an account. Others can cause such emails, so an
 * address gets some a day and no more: the audit log has the rest.
 */
export async function tellAccounts(
  { loginLimits, mailer }: Telling,
  emails: readonly string[],
  message: Email,
): Promise<void> {
  if (!mailer.configured) return
  for (const email of emails) {
    const { waitMs } = await loginLimits.attempt({ kind: 'told', email })
    if (waitMs === 0) mailer.send(email, message)
  }
}
