import { organizationsToTell } from '../../../store/people/organizations-to-tell.ts'
import type { ActingAccount } from '../../../tenancy/actor.ts'
import type { Environment } from '../../use-case/environment.ts'
import { defineChange } from '../../use-case/use-case.ts'

type Refusal = {
  readonly account: Pick<ActingAccount, 'id' | 'email'>
  readonly wrong: 'password' | 'code'
  /** Of the client; null where a session is known, which says more. */
  readonly network: string | null
}

/**
 * Notes in the audit log that somebody failed to prove that an account is theirs. At most one event
 * a minute for each account, so that guessing does not fill the log. It is written after the
 * answer, whose time must not tell whether there is such an account.
 */
export function noteRefused(environment: Environment, refusal: Refusal): void {
  const { account, wrong, network } = refusal
  environment.later(network ?? account.id, async () => {
    const subject = { kind: 'noted', id: `${account.id} ${wrong}` } as const
    const { waitMs } = await environment.loginLimits.attempt(subject)
    if (waitMs === 0) await writeRefusal(environment, { kind: 'nobody', request: null }, refusal)
  })
}

const writeRefusal = defineChange(
  { action: 'session.refuse', permission: 'anyone' },
  async ({ transaction }, { account, wrong, network }: Refusal) => ({
    value: undefined,
    target: { kind: 'account', id: account.id, label: account.email },
    organizationIds: await organizationsToTell(transaction, account.id),
    changes: { wrong: [null, wrong], ...(network !== null && { network: [null, network] }) },
  }),
)
