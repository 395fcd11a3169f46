import type { Fault } from '../../api/fault.ts'
import { useApi } from '../../api/use-api.ts'
import { Checkbox, errorAt, Select } from '../../parts/field.tsx'
import { operator } from '../../words/operator.ts'
import { operatorOrganizations } from '../../words/operator-organizations.ts'
import { OrganizationFields, type OrganizationDraft } from '../account/organization-fields.tsx'

export type PlannedOrganization = OrganizationDraft & {
  readonly wanted: boolean
  /** Empty for the default plan. */
  readonly plan: string
}

/** The organization that somebody gets when they are admitted, if the operator wants one. */
export function AdmitOrganization({
  planned,
  onChange,
  fault,
}: {
  readonly planned: PlannedOrganization
  readonly onChange: (planned: PlannedOrganization) => void
  readonly fault: Fault | null
}) {
  return (
    <>
      <Checkbox
        label={operator.waiting.withOrganization}
        checked={planned.wanted}
        onChange={(event) => onChange({ ...planned, wanted: event.currentTarget.checked })}
      />
      {planned.wanted && (
        <>
          <OrganizationFields
            draft={planned}
            fault={fault}
            onChange={(draft) => onChange({ ...planned, ...draft })}
          />
          <Plan
            plan={planned.plan}
            error={errorAt(fault, 'plan')}
            onChange={(plan) => onChange({ ...planned, plan })}
          />
        </>
      )}
    </>
  )
}

function Plan({
  plan,
  error,
  onChange,
}: {
  readonly plan: string
  readonly error: string | undefined
  readonly onChange: (plan: string) => void
}) {
  const plans = useApi('GET /operator/plans', {}).data?.data ?? []
  const standard = plans.find((each) => each.default)?.name ?? ''
  return (
    <Select
      label={operatorOrganizations.plan}
      value={plan === '' ? standard : plan}
      error={error}
      onChange={onChange}
      options={plans.map((each) => ({
        value: each.name,
        label: each.default ? operatorOrganizations.defaultPlan(each.name) : each.name,
      }))}
    />
  )
}
