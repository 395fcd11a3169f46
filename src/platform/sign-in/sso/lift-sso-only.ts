import { setSignInRules } from '../../../store/sign-in/sign-in-rules.ts'
import { findOrganization, lockOrganization } from '../../../store/tenants/organizations.ts'
import { defineChange } from '../../use-case/use-case.ts'

export type LiftedSsoOnly = {
  readonly organization: string
  /** The rule before; it is false now. */
  readonly before: boolean
}

/**
 * Lets the members of an organization sign in without SSO again. For the operator, when the
 * provider fails and no owner can get in to change the rule. Its owners see the event.
 */
export const liftSsoOnly = defineChange(
  { action: 'sign_in_rules.set', permission: 'platform:write', confirmed: true },
  async ({ transaction }, { organization: reference }: { readonly organization: string }) => {
    const { id } = await findOrganization(transaction, reference)
    const before = await lockOrganization(transaction, id)
    const { slug, second_factor_required, session_hours } = before
    const rules = { sso_only: false, second_factor_required, session_hours }
    await setSignInRules(transaction, id, rules)
    const value: LiftedSsoOnly = { organization: slug, before: before.sso_only }
    return {
      value,
      target: { kind: 'organization', id, label: slug },
      changes: { sso_only: [before.sso_only, false] },
      organizationId: id,
    }
  },
)
