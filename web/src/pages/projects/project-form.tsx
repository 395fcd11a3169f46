import type { Fault } from '../../api/fault.ts'
import type { Money } from '../../api/routes.ts'
import { readAmount } from '../../format/amount.ts'
import { AmountField, errorAt, TextField } from '../../parts/field.tsx'
import { projects as words } from '../../words/projects.ts'

/** What the management API calls the fields; only the name can be taken already. */
export const PROJECT_FIELDS = ['name', 'spending_limit', 'already_exists']

export type ProjectFields = { readonly name: string; readonly limit: string }

/** As the API takes it: an empty field is no limit. */
export function limitOf({ limit }: ProjectFields): { readonly amount: string } | null {
  return limit.trim() === '' ? null : { amount: readAmount(limit) }
}

export function fieldsOf(project: {
  readonly name: string
  readonly spending_limit: Money | null
}): ProjectFields {
  return { name: project.name, limit: project.spending_limit?.amount ?? '' }
}

export function ProjectFieldset({
  value,
  onChange,
  fault,
  currency,
}: {
  readonly value: ProjectFields
  readonly onChange: (value: ProjectFields) => void
  readonly fault: Fault | null
  readonly currency: string
}) {
  return (
    <>
      <TextField
        label={words.name}
        required
        maxLength={100}
        value={value.name}
        error={errorAt(fault, 'name') ?? nameTaken(fault)}
        onChange={(event) => onChange({ ...value, name: event.currentTarget.value })}
      />
      <AmountField
        label={words.limit}
        optional
        currency={currency}
        value={value.limit}
        hint={words.limitHint}
        error={errorAt(fault, 'spending_limit')}
        onChange={(event) => onChange({ ...value, limit: event.currentTarget.value })}
      />
    </>
  )
}

/** The API names no field for it, but only a name can be taken. */
function nameTaken(fault: Fault | null): string | undefined {
  return fault?.code === 'already_exists' ? fault.message : undefined
}
