import { changeFunds, type Balance } from '../../store/ledger/double-entry.ts'
import type { Transferred } from '../../store/ledger/post-transfers.ts'
import { findOrganization } from '../../store/tenants/organizations.ts'
import type { Actor } from '../../tenancy/actor.ts'
import { viewMoney } from '../use-case/view-money.ts'
import { defineChange } from '../use-case/use-case.ts'

export type ChangeFundsInput = {
  /** Id or slug. */
  readonly organization: string
  /** In micro-units. Only an adjustment may be negative. */
  readonly amount: number
  /** Idempotency key: repeating a transfer with the same reference has no effect. */
  readonly reference: string
  readonly reason: string
  /** When what is left of a grant is taken back; default: never. */
  readonly expiresAt?: Date | undefined
}

export type ChangedFunds = Transferred & Balance

/** Adds to the balance of an organization. */
export const grantFunds = defineFundsChange('balance.grant', 'grant')

/** Corrects the balance of an organization. */
export const adjustFunds = defineFundsChange('balance.adjust', 'adjustment')

function defineFundsChange(action: string, kind: 'grant' | 'adjustment') {
  return defineChange(
    { action, permission: 'platform:write', confirmed: true },
    async ({ environment, transaction, access }, input: ChangeFundsInput) => {
      const { amount, reference, reason, expiresAt } = input
      const { id, slug } = await findOrganization(transaction, input.organization)
      const madeBy = nameOf(access.actor)
      const made = { organizationId: id, amount, kind, reference, madeBy, reason, expiresAt }
      const { value, raised } = await changeFunds(transaction, made)
      const { currency } = environment.settings
      const before = value.granted - amount
      return {
        value: value satisfies ChangedFunds,
        target: { kind: 'organization', id, label: slug },
        changes: {
          granted: [viewMoney(before, currency), viewMoney(value.granted, currency)],
          reason: [null, reason],
          reference: [null, reference],
          ...(expiresAt !== undefined && { expires_at: [null, expiresAt.toISOString()] }),
        },
        unchanged: value.repeated,
        organizationId: id,
        raised,
      }
    },
  )
}

function nameOf(actor: Actor): string {
  switch (actor.kind) {
    case 'nobody':
      return ''
    case 'person':
      return actor.account.email
    case 'management_key':
    case 'scim_token':
    case 'operator_shell':
    case 'system':
      return actor.name
  }
}
