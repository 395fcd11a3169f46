import type { Transaction } from 'kysely'
import { ApiError } from '../../contract/error.ts'
import { destroyContentKeys } from '../../store/content/content-keys.ts'
import { balanceOf, changeFunds } from '../../store/ledger/double-entry.ts'
import { hasOpenPayment } from '../../store/payments/count-payments.ts'
import { deleteOrganization } from '../../store/people/delete-organization.ts'
import type { AuditChanges } from '../../store/postgres/platform-tables.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import { lockOrganization } from '../../store/tenants/organizations.ts'
import type { Actor } from '../../tenancy/actor.ts'
import type { Environment } from '../use-case/environment.ts'
import { labelOf, type Change } from '../use-case/use-case.ts'
import { viewMoney } from '../use-case/view-money.ts'

export type EndingInput = {
  /** What is left of the balance goes to the operator. Without it, money keeps it alive. */
  readonly forfeit_balance?: boolean
}

/** Deletes an organization, whoever asks: an owner or an operator. */
export async function endOrganization(
  environment: Environment,
  transaction: Transaction<Tables>,
  actor: Actor,
  { id, forfeit }: { readonly id: string; readonly forfeit: boolean },
): Promise<Change<undefined>> {
  const { slug, name } = await lockOrganization(transaction, id)
  if (await hasOpenPayment(transaction, id))
    throw new ApiError('conflict', 'A payment is not over yet. Cancel it, or wait for its end.')
  const forfeited = await closeBalance(environment, transaction, actor, { id, forfeit })
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
    },
    organizationId: id,
    raised,
  }
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
