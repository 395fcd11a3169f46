import type { Email } from '../mail/emails.ts'
import type { Environment } from '../use-case/environment.ts'

/** Whoever enters an address need not be the one who reads it, so it gets some a day, no more. */
export async function deliverCounted(
  { loginLimits, mailer }: Pick<Environment, 'loginLimits' | 'mailer'>,
  address: string,
  email: Email,
): Promise<void> {
  const counted = await loginLimits.attempt({ kind: 'alerted', email: address })
  if (counted.waitMs > 0) return
  try {
    await mailer.deliver(address, email)
  } catch (error) {
    await counted.undo()
    throw error
  }
}
