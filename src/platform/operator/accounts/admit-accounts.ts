import type { Admitted } from '../../../contract/management/operator-account.ts'
import { isAddress } from '../../mail/address.ts'
import { admitAccounts as admit } from '../../../store/tenants/search-accounts.ts'
import type { AccountRow } from '../../../store/postgres/tables.ts'
import type { Environment } from '../../use-case/environment.ts'
import { pageAddress } from '../../sign-in/accounts/links.ts'
import { defineChange } from '../../use-case/use-case.ts'
import { viewAccount } from './view-account.ts'

type AdmitInput = { readonly ids: readonly string[]; readonly note?: string }

/** Admits people from the waiting list. Each gets an email. */
export const admitAccounts = defineChange(
  { action: 'account.admit', permission: 'platform:admit' },
  async ({ environment, transaction }, { ids, note }: AdmitInput) => {
    const { value: rows, raised } = await admit(transaction, ids)
    const admitted = rows.map(viewAccount)
    const known = new Set(admitted.map(({ id }) => id))
    const value: Admitted = { admitted, skipped: ids.filter((id) => !known.has(id.toLowerCase())) }
    return {
      value,
      target: targetOf(rows, ids),
      changes: {
        accounts: [null, rows.map(({ id }) => id)],
        ...(note !== undefined && { note: [null, note] }),
      },
      raised,
      afterwards: () => sendEmails(environment, rows),
    }
  },
)

function targetOf(rows: readonly AccountRow[], ids: readonly string[]) {
  const [first] = rows
  const id = first?.id ?? ids[0] ?? ''
  if (rows.length === 1) return { kind: 'account', id, label: first?.email ?? null }
  return { kind: 'account', id, label: `${rows.length} accounts` }
}

function sendEmails({ mailer, settings }: Environment, rows: readonly AccountRow[]): void {
  const link = pageAddress(settings, 'sign-in')
  for (const { email } of rows) if (isAddress(email)) mailer.send(email, { kind: 'admitted', link })
}
