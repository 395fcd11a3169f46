import type { Fault } from '../../api/fault.ts'
import { errorAt, TextField } from '../../parts/field.tsx'

const REASON_MAX = 200

/** Why an operator decides something. */
export function ReasonField({
  words,
  value,
  fault,
  name = 'reason',
  max = REASON_MAX,
  onChange,
}: {
  /** What it is called, and who reads it. */
  readonly words: Readonly<Record<'reason' | 'reasonHint', string>>
  readonly value: string
  readonly fault: Fault | null
  /** What the management API calls it. */
  readonly name?: string
  /** Its characters at most. */
  readonly max?: number
  readonly onChange: (reason: string) => void
}) {
  return (
    <TextField
      label={words.reason}
      hint={words.reasonHint}
      required
      maxLength={max}
      value={value}
      error={errorAt(fault, name)}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
