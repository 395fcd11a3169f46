import { ApiError } from '../../contract/error.ts'
import type { SignInRules } from '../../contract/management/sso.ts'
import { setSignInRules as storeRules } from '../../store/sign-in/sign-in-rules.ts'
import { hasSecondFactor } from '../../tenancy/sign-in-methods.ts'
import { isSignedInThrough } from '../check-sign-in.ts'
import { defineChange, defineRead } from '../use-case.ts'

export const readSignInRules = defineRead(
  { action: 'sign_in_rules.read', permission: 'sign-in:read', confirmed: true },
  async ({ access }): Promise<SignInRules> => rulesOf(access.organization),
)

/** Sets how members must sign in, only from a session that follows the rule. */
export const setSignInRules = defineChange(
  { action: 'sign_in_rules.set', permission: 'sign-in:write', confirmed: true },
  async ({ transaction, access }, { sso_only, second_factor_required }: SignInRules) => {
    const { organization, actor } = access
    if (actor.kind === 'person') {
      const { methods } = actor.session
      const throughSso = await isSignedInThrough(transaction, organization.id, methods)
      if (sso_only && !throughSso) throw wouldLockOut('with the identity provider')
      if (second_factor_required && !throughSso && !hasSecondFactor(methods))
        throw wouldLockOut('with a second factor')
    }
    const rules = { sso_only, second_factor_required }
    await storeRules(transaction, organization.id, rules)
    const before = rulesOf(organization)
    return {
      value: rules,
      target: { kind: 'organization', id: organization.id, label: organization.slug },
      changes: {
        sso_only: [before.sso_only, sso_only],
        second_factor_required: [before.second_factor_required, second_factor_required],
      },
    }
  },
)

function rulesOf({ sso_only, second_factor_required }: SignInRules): SignInRules {
  return { sso_only, second_factor_required }
}

function wouldLockOut(how: string): ApiError {
  return new ApiError('conflict', `Sign in ${how} first: you would lock yourself out.`)
}
