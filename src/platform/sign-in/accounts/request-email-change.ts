import { ApiError } from '../../../contract/error.ts'
import { createMailToken } from '../../../store/sign-in/mail-tokens.ts'
import { findSignIn } from '../../../store/sign-in/passwords.ts'
import { lockAccount } from '../../../store/tenants/accounts.ts'
import { createToken } from '../identity/token.ts'
import type { Email } from '../../mail/emails.ts'
import type { Origin } from '../sessions/prove-password.ts'
import { defineChange } from '../../use-case/use-case.ts'
import { checkEmail } from './check-credentials.ts'
import { checkKeepsSso } from './check-keeps-sso.ts'
import { countNewAddress } from './count-email.ts'
import { linkEndsAt, linkWithToken, pageAddress } from './links.ts'
import { personOf } from './person-of.ts'

export type EmailChangeInput = { readonly email: string; readonly client: Origin }

/**
 * Sends a link to the new address, and a notice to the old one. The answer does not tell whether
 * the new address has an account; its owner gets an email that says so.
 */
export const requestEmailChange = defineChange(
  { action: 'account.request_email_change', permission: 'self', confirmed: true },
  async ({ environment, transaction, access }, { email, client }: EmailChangeInput) => {
    const { settings, mailer } = environment
    const { account } = personOf(access)
    checkEmail(email)
    await checkKeepsSso(transaction, account.id, email)
    if (!mailer.configured)
      throw new ApiError('conflict', 'This service sends no email. Ask its operator.')
    await lockAccount(transaction, account.id, 'update')
    const { token, hash } = createToken()
    const made = await createMailToken(transaction, {
      hash,
      kind: 'change',
      accountId: account.id,
      email,
      endsAt: linkEndsAt(),
      network: client.addressPrefix,
    })
    if (!made) throw new ApiError('too_many_attempts', 'Too many changes. Retry in an hour.')
    await countNewAddress(environment, email)
    const taken = (await findSignIn(transaction, email)) !== undefined
    const message: Email = taken
      ? { kind: 'sign_up_again', link: pageAddress(settings, 'sign-in') }
      : {
          kind: 'new_address',
          link: linkWithToken(settings, 'verify', token),
          account: account.email,
        }
    return {
      value: undefined,
      target: { kind: 'account', id: account.id, label: account.email },
      changes: { requested_email: [null, email] },
      afterwards: () => {
        mailer.send(email, message, account.language)
        mailer.send(account.email, { kind: 'old_address', newAddress: email })
      },
    }
  },
)
