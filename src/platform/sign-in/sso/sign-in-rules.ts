import { ApiError } from '../../../contract/error.ts'
import type { SignInRules } from '../../../contract/management/sso.ts'
import { setSignInRules as storeRules } from '../../../store/sign-in/sign-in-rules.ts'
import { lockOrganization } from '../../../store/tenants/organizations.ts'
import { hasSecondFactor } from '../../../tenancy/sign-in-methods.ts'
import { isSignedInThrough } from '../../use-case/check-sign-in.ts'
import { defineChange, defineRead } from '../../use-case/use-case.ts'
import { checkSsoUsable } from './check-sso-usable.ts'

export const readSignInRules = defineRead(
  { action: 'sign_in_rules.read', permission: 'sign-in:read', confirmed: true },
  async ({ access }): Promise<SignInRules> => rulesOf(access.organization),
)

/** Sets how members must sign in, only from a session that follows the rule. */
export const setSignInRules = defineChange(
  { action: 'sign_in_rules.set', permission: 'sign-in:write', confirmed: true },
  async ({ transaction, access }, input: SignInRules) => {
    const { actor } = access
    const organization = await lockOrganization(transaction, access.organization.id)
    const { sso_only, second_factor_required } = input
    const { session_hours = organization.session_hours } = input
    if (actor.kind === 'person') {
      const { methods } = actor.session
      const throughSso = await isSignedInThrough(transaction, organization.id, methods)
      if (sso_only && !throughSso) throw wouldLockOut('with the identity provider')
      if (second_factor_required && !throughSso && !hasSecondFactor(methods))
        throw wouldLockOut('with a second factor')
    }
    if (sso_only) await checkSsoUsable(transaction, organization.id)
    const rules = { sso_only, second_factor_required, session_hours }
    await storeRules(transaction, organization.id, rules)
    const before = rulesOf(organization)
    return {
      value: rules,
      target: { kind: 'organization', id: organization.id, label: organization.slug },
      changes: {
        sso_only: [before.sso_only, sso_only],
        second_factor_required: [before.second_factor_required, second_factor_required],
        session_hours: [before.session_hours, session_hours],
      },
    }
  },
)

function rulesOf(organization: Required<SignInRules>): Required<SignInRules> {
  const { sso_only, second_factor_required, session_hours } = organization
  return { sso_only, second_factor_required, session_hours }
}

function wouldLockOut(how: string): ApiError {
  return new ApiError('conflict', `Sign in ${how} first: you would lock yourself out.`)
}
