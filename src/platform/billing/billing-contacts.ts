import type { BillingContacts } from '../../contract/management/billing.ts'
import { findBillingContacts, storeBillingContacts } from '../../store/payments/billing-contacts.ts'
import { lockOrganization } from '../../store/tenants/organizations.ts'
import { readAddresses } from '../mail/read-addresses.ts'
import { defineChange, defineRead } from '../use-case/use-case.ts'

export const showBillingContacts = defineRead(
  { action: 'billing_contacts.show', permission: 'alerts:read' },
  async ({ database, access }): Promise<BillingContacts> => ({
    emails: await findBillingContacts(database, access.organization.id),
  }),
)

/** Sets who gets emails about money. None: the owners. */
export const changeBillingContacts = defineChange(
  { action: 'billing_contacts.change', permission: 'billing:write', confirmed: true },
  async ({ transaction, access }, input: BillingContacts) => {
    const emails = readAddresses(input.emails, 'emails')
    const { id, slug } = await lockOrganization(transaction, access.organization.id)
    const before = await findBillingContacts(transaction, id)
    const unchanged = before.join() === emails.join()
    if (!unchanged) await storeBillingContacts(transaction, id, emails)
    return {
      value: { emails },
      target: { kind: 'organization', id, label: slug },
      changes: { emails: [before, emails] },
      unchanged,
    }
  },
)
