import type { Fault } from '../../api/fault.ts'
import { slugOf } from '../../format/slug.ts'
import { errorAt, TextField } from '../../parts/field.tsx'
import { account } from '../../words/account.ts'

const words = account.organizations

export type OrganizationDraft = {
  readonly name: string
  /** Undefined while it follows the name. */
  readonly slug: string | undefined
}

export const NO_ORGANIZATION: OrganizationDraft = { name: '', slug: undefined }

export function finished({ name, slug }: OrganizationDraft) {
  return { name: name.trim(), slug: slug ?? slugOf(name) }
}

/** The name, and the name in addresses, which follows it until somebody changes it. */
export function OrganizationFields({
  draft,
  onChange,
  fault,
  param = '',
  large = false,
}: {
  readonly draft: OrganizationDraft
  readonly onChange: (draft: OrganizationDraft) => void
  readonly fault: Fault | null
  /** Where the fields are in the body: `organization.`. */
  readonly param?: string
  readonly large?: boolean
}) {
  const taken = fault?.code === 'already_exists' ? fault.message : undefined
  return (
    <>
      <TextField
        large={large}
        label={words.name}
        name="organization"
        autoComplete="organization"
        value={draft.name}
        error={errorAt(fault, `${param}name`)}
        onChange={(event) => onChange({ ...draft, name: event.currentTarget.value })}
      />
      <TextField
        large={large}
        label={words.slug}
        name="slug"
        hint={words.slugHint}
        value={finished(draft).slug}
        error={errorAt(fault, `${param}slug`) ?? taken}
        onChange={(event) => onChange({ ...draft, slug: event.currentTarget.value })}
      />
    </>
  )
}
