import { ApiError } from '../../contract/error.ts'
import type { GivenFactor } from '../../contract/management/factor.ts'
import { personOf } from '../accounts/person-of.ts'
import { completeSignIn } from '../sessions/open-session.ts'
import { defineChange, defineFlow } from '../use-case.ts'
import { proveFactor } from './prove-factor.ts'

/** Completes a sign-in that lacks its second factor. The session gets a new token. */
export const giveSecondFactor = defineFlow(
  { action: 'session.second_factor', permission: 'second-factor' },
  async ({ environment, access }, given: GivenFactor) => {
    const { account, session } = personOf(access)
    if (!session.incomplete) throw new ApiError('conflict', 'The sign-in is complete.')
    const method = await proveFactor(environment, account, given)
    return completeSession(environment, access.actor, { method })
  },
)

const completeSession = defineChange(
  { action: 'session.second_factor', permission: 'second-factor' },
  async ({ environment, transaction, access }, { method }: { readonly method: string }) => {
    const person = personOf(access)
    const value = await completeSignIn({ environment, transaction }, person, method)
    return {
      value,
      target: { kind: 'account', id: person.account.id, label: person.account.email },
      changes: { methods: [person.session.methods, value.session.methods] },
    }
  },
)
