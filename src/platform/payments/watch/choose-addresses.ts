import type { DueEmail } from '../../../store/payments/queued-emails.ts'
import { findBillingContacts } from '../../../store/payments/billing-contacts.ts'
import { listOwnerEmails } from '../../../store/people/members.ts'
import { listOperatorEmails } from '../../../store/tenants/accounts.ts'
import { normalEmail } from '../../../tenancy/email.ts'
import type { Environment } from '../../use-case/environment.ts'

/** Of operators or owners. With more, those who came last are not told. */
const ADDRESSES_MAX = 10

export type EmailAddresses = {
  /** Operators or owners: people with an account, who may see and do what the email is about. */
  readonly people: readonly string[]
  /** Addresses that were entered, of whomever. */
  readonly contacts: readonly string[]
}

/**
 * Who gets an email, decided here only. Billing contacts get it instead of the owners,
 * except that only owners get the page on which the owner of the card confirms a payment.
 */
export async function chooseAddresses(
  { database }: Pick<Environment, 'database'>,
  { kind, organizationId }: Pick<DueEmail, 'kind' | 'organizationId'>,
): Promise<EmailAddresses> {
  if (organizationId === null)
    return { people: await listOperatorEmails(database, ADDRESSES_MAX), contacts: [] }
  const contacts = await findBillingContacts(database, organizationId)
  if (contacts.length > 0 && kind !== 'top_up_confirm') return { people: [], contacts }
  const people = await listOwnerEmails(database, organizationId, ADDRESSES_MAX)
  const known = new Set(people.map(normalEmail))
  return { people, contacts: contacts.filter((address) => !known.has(normalEmail(address))) }
}
