import type { Transaction } from 'kysely'
import { voidMailTokens } from '../../../store/sign-in/mail-tokens.ts'
import { readAccount } from '../../../store/people/own-account.ts'
import { setPassword } from '../../../store/sign-in/passwords.ts'
import { endSessions } from '../../../store/sign-in/sessions.ts'
import type { AccountRow, Tables } from '../../../store/postgres/tables.ts'
import { lockAccount } from '../../../store/tenants/accounts.ts'
import type { Environment } from '../../use-case/environment.ts'
import { pageAddress } from './links.ts'

/** Sets a password, ends all sessions but the given one, and voids every link. */
export async function replacePassword(
  transaction: Transaction<Tables>,
  accountId: string,
  phc: string,
  keptSessionId: string | null,
): Promise<AccountRow> {
  await lockAccount(transaction, accountId, 'update')
  await setPassword(transaction, accountId, phc)
  await endSessions(transaction, accountId, keptSessionId)
  await voidMailTokens(transaction, accountId)
  return readAccount(transaction, accountId)
}

export function tellPasswordChanged({ mailer, settings }: Environment, email: string): void {
  mailer.send(email, { kind: 'password_changed', link: pageAddress(settings, 'reset') })
}
