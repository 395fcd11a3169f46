import type { OperatorOrganization, OrganizationUpdate } from '../../../api/routes.ts'

export const LIMITS = [
  'requests_per_minute',
  'requests_per_day',
  'tokens_per_minute',
  'tokens_per_day',
] as const
export type Limit = (typeof LIMITS)[number]

/** What the form holds: text as it was typed. An empty limit means the plan's. */
export type OrganizationForm = {
  readonly name: string
  readonly plan: string
  readonly billingState: OperatorOrganization['billing_state']
  readonly limits: Readonly<Record<Limit, string>>
}

export function formOf(organization: OperatorOrganization): OrganizationForm {
  const textOf = (limit: Limit) => organization.limits[limit]?.toString() ?? ''
  return {
    name: organization.name,
    plan: organization.plan,
    billingState: organization.billing_state,
    limits: {
      requests_per_minute: textOf('requests_per_minute'),
      requests_per_day: textOf('requests_per_day'),
      tokens_per_minute: textOf('tokens_per_minute'),
      tokens_per_day: textOf('tokens_per_day'),
    },
  }
}

/** Only what differs; undefined if nothing does. */
export function updateOf(
  organization: OperatorOrganization,
  form: OrganizationForm,
): OrganizationUpdate | undefined {
  const limits = Object.fromEntries(
    LIMITS.map((limit) => [limit, readLimit(form.limits[limit])] as const).filter(
      ([limit, value]) => value !== organization.limits[limit],
    ),
  )
  const update: OrganizationUpdate = {
    ...(form.name !== organization.name && { name: form.name }),
    ...(form.plan !== organization.plan && { plan: form.plan }),
    ...(form.billingState !== organization.billing_state && { billing_state: form.billingState }),
    ...(Object.keys(limits).length > 0 && { limits }),
  }
  return Object.keys(update).length === 0 ? undefined : update
}

function readLimit(text: string): number | null {
  const digits = text.trim()
  return digits === '' ? null : Number(digits)
}
