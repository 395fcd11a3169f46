import { listOwnerEmails } from '../../store/people/members.ts'
import { listOperatorEmails } from '../../store/tenants/accounts.ts'
import type { Environment } from '../use-case/environment.ts'
import type { Letter } from '../mail/letters.ts'

/** Of one organization, or of the service. With more, those who came last are not told. */
const TOLD_MAX = 20

type Telling = Pick<Environment, 'database' | 'loginLimits' | 'mailer'>

/** Sends a letter to the owners of an organization, except to whoever has had it already. */
export async function tellOwners(
  environment: Telling,
  organizationId: string,
  letter: Letter,
  except?: string,
): Promise<void> {
  if (!environment.mailer.configured) return
  const emails = await listOwnerEmails(environment.database, organizationId, TOLD_MAX)
  await tellAccounts(
    environment,
    emails.filter((email) => email !== except),
    letter,
  )
}

/** Sends a letter to the operators of the service. */
export async function tellOperators(environment: Telling, letter: Letter): Promise<void> {
  if (!environment.mailer.configured) return
  await tellAccounts(environment, await listOperatorEmails(environment.database, TOLD_MAX), letter)
}

/**
 * Sends a letter about what happened to things of an account. Others can cause such letters, so an
 * address gets some a day and no more: the audit log has the rest.
 */
export async function tellAccounts(
  { loginLimits, mailer }: Telling,
  emails: readonly string[],
  letter: Letter,
): Promise<void> {
  if (!mailer.configured) return
  for (const email of emails) {
    const { waitMs } = await loginLimits.attempt({ kind: 'told', email })
    if (waitMs === 0) mailer.send(email, letter)
  }
}
