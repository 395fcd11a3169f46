import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { OperatorError } from '../../lib/operator-error.ts'
import type { Tables } from '../postgres/tables.ts'

export type ProviderAccount = { readonly ref: string; readonly live: boolean }

/** The key belongs to another account, or another mode, than that of the ledger. */
export class WrongProviderAccount extends OperatorError {
  // EX_CONFIG of sysexits.h, as for other errors in the configuration.
  readonly exitCode = 78
  override readonly name = 'WrongProviderAccount'
  constructor(kept: ProviderAccount, found: ProviderAccount) {
    super(
      `headrace: the ledger has payments of account ${kept.ref} (${modeOf(kept)}), but the key ` +
        `of the payment provider is of account ${found.ref} (${modeOf(found)}). See ` +
        'docs/operating/payments.md',
    )
  }
}

function modeOf({ live }: ProviderAccount): string {
  return live ? 'live' : 'test'
}

/** Rejects another account than that of the ledger. The first to call it decides. */
export async function checkProviderAccount(
  database: Kysely<Tables>,
  found: ProviderAccount,
): Promise<void> {
  await sql`update books set provider_account = ${found.ref}, provider_live = ${found.live}
    where provider_account is null`.execute(database)
  if (!(await matchesProviderAccount(database, found)))
    throw new Error('the ledger has no currency yet')
}

/** The same, but decides nothing. Returns false if the ledger has no account yet. */
export async function matchesProviderAccount(
  database: Kysely<Tables>,
  found: ProviderAccount,
): Promise<boolean> {
  const kept = await findProviderAccount(database)
  if (kept === undefined) return false
  if (kept.ref !== found.ref || kept.live !== found.live)
    throw new WrongProviderAccount(kept, found)
  return true
}

/** Undefined until a console has reached the provider for the first time. */
export async function findProviderAccount(
  database: Kysely<Tables>,
): Promise<ProviderAccount | undefined> {
  const { rows } = await sql<ProviderAccount>`
    select provider_account as ref, provider_live as live from books
    where provider_account is not null`.execute(database)
  return rows[0]
}
