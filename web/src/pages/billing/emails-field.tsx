import type { Fault } from '../../api/fault.ts'
import { ChipsField, splitChips } from '../../parts/chips-field.tsx'
import { errorAt } from '../../parts/field.tsx'
import { emails as words } from '../../words/billing.ts'

/** The addresses of a text that people typed. No address has a comma. */
export function splitEmails(text: string): string[] {
  return splitChips(text.replaceAll(',', ' '))
}

/** The text of a field that shows each address as a chip. */
export function joinEmails(emails: readonly string[]): string {
  return emails.map((address) => `${address} `).join('')
}

/** A field for up to ten email addresses, which the management API calls `emails`. */
export function EmailsField({
  value,
  fault,
  onChange,
}: {
  readonly value: string
  readonly fault: Fault | null
  readonly onChange: (text: string) => void
}) {
  return (
    <ChipsField
      label={words.label}
      hint={words.hint}
      optional
      value={value}
      error={errorAt(fault, 'emails')}
      inputMode="email"
      onChange={onChange}
    />
  )
}
