import type { Transaction } from 'kysely'
import { ApiError } from '../../contract/error.ts'
import type { Money } from '../../contract/management/schemas.ts'
import { destroyContentKeys } from '../../store/content/content-keys.ts'
import { balanceOf, changeFunds } from '../../store/ledger/double-entry.ts'
import { hasOpenPayment } from '../../store/payments/count-payments.ts'
import { forgetCard } from '../../store/payments/provider-customers.ts'
import { deleteOrganization } from '../../store/people/delete-organization.ts'
import type { AuditChanges } from '../../store/postgres/platform-tables.ts'
import type { OrganizationRow, Tables } from '../../store/postgres/tables.ts'
import { lockOrganization } from '../../store/tenants/organizations.ts'
import type { Actor } from '../../tenancy/actor.ts'
import { smallestCharge } from '../../tenancy/money/smallest-charge.ts'
import { readHeld } from '../billing/read-held.ts'
import type { Environment } from '../use-case/environment.ts'
import { planOf } from '../use-case/plan-of.ts'
import { labelOf, type Change } from '../use-case/use-case.ts'
import { viewMoney } from '../use-case/view-money.ts'

/** A unit of a currency that nobody can pay in by card. */
const MICRO = 1_000_000

export type EndingInput = {
  /** What is left of the balance goes to the operator. Without it, money keeps it alive. */
  readonly forfeit_balance?: boolean
}

type Ending = {
  readonly id: string
  readonly forfeit: boolean
  /** An operator ends it with a debt too, which the audit event names. */
  readonly mayOwe: boolean
}

/** Deletes an organization, whoever asks: an owner or an operator. */
export async function endOrganization(
  environment: Environment,
  transaction: Transaction<Tables>,
  actor: Actor,
  { id, forfeit, mayOwe }: Ending,
): Promise<Change<undefined>> {
  const organization = await lockOrganization(transaction, id)
  const { slug, name } = organization
  if (await hasOpenPayment(transaction, id))
    throw new ApiError('conflict', 'A payment is not over yet. Cancel it, or wait for its end.')
  const owed = await debtOf(environment, transaction, organization)
  if (owed !== undefined && !mayOwe)
    throw new ApiError(
      'conflict',
      `The organization owes ${owed.amount} ${owed.currency}, with what running requests may ` +
        'cost. Ask the operator to settle it first.',
    )
  const forfeited = await closeBalance(environment, transaction, actor, { id, forfeit })
  await forgetCard(transaction, id)
  const contentKeys = await destroyContentKeys(transaction, id)
  const { value: ended, raised } = await deleteOrganization(transaction, id)
  return {
    value: undefined,
    target: { kind: 'organization', id, label: slug },
    changes: {
      name: [name, null],
      members: [ended.members, 0],
      keys: [ended.keys, 0],
      ...(contentKeys > 0 && { content_keys: [contentKeys, 0] }),
      ...forfeited,
      ...(owed !== undefined && { owed: [null, owed] }),
    },
    organizationId: id,
    raised,
  }
}

/**
 * What an invoice could ask for, of an organization that pays afterwards: no statement is an
 * invoice once it is deleted. What is not posted yet and running requests count.
 */
async function debtOf(
  environment: Environment,
  transaction: Transaction<Tables>,
  organization: OrganizationRow,
): Promise<Money | undefined> {
  const { settings } = environment
  if (planOf(settings, organization)?.billing !== 'postpaid') return undefined
  const { granted, spent } = await balanceOf(transaction, organization.id)
  const held = await readHeld(environment, organization.id)
  const owed = Math.max(spent, held?.spent ?? 0) + (held?.reserved ?? 0) - granted
  const least = smallestCharge(settings.currency) ?? MICRO
  return owed < least ? undefined : viewMoney(owed, settings.currency)
}

/** Money is never lost by a click: somebody says that it is forfeited, and the ledger shows it. */
async function closeBalance(
  { settings: { currency } }: Environment,
  transaction: Transaction<Tables>,
  actor: Actor,
  { id, forfeit }: { readonly id: string; readonly forfeit: boolean },
): Promise<AuditChanges> {
  const { balance } = await balanceOf(transaction, id)
  if (balance <= 0) return {}
  const money = viewMoney(balance, currency)
  if (!forfeit)
    throw new ApiError(
      'conflict',
      `The organization has ${money.amount} ${money.currency} left. Ask the operator to settle ` +
        "it first, or say with 'forfeit_balance' that it is forfeited.",
      { param: 'forfeit_balance' },
    )
  await changeFunds(transaction, {
    organizationId: id,
    amount: -balance,
    kind: 'adjustment',
    reference: `deletion:${id}`,
    madeBy: labelOf(actor).label,
    reason: 'organization deleted, balance forfeited',
  })
  return { balance: [money, viewMoney(0, currency)] }
}
