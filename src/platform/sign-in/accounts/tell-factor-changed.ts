import type { Environment } from '../../use-case/environment.ts'
import type { FactorChange } from '../../mail/emails.ts'
import { pageAddress } from './links.ts'

/** Tells the owner of an account about a new or removed way to sign in. */
export function tellFactorChanged(
  { mailer, settings }: Pick<Environment, 'mailer' | 'settings'>,
  email: string,
  change: FactorChange,
): void {
  const link = pageAddress(settings, 'account/security')
  mailer.send(email, { kind: 'factor_changed', change, link })
}
