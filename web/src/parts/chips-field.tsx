import { X } from 'lucide-react'
import type { KeyboardEvent, ReactNode } from 'react'
import { everywhere } from '../words/everywhere.ts'
import { Field, type FieldFacts } from './field.tsx'
import styles from './chips-field.module.css'

/** An amount may have a comma in it: a blank or a semicolon separates. */
const SEPARATORS = /[\s;]+/

/** The values of a text that people typed into a field for several. */
export function splitChips(text: string): string[] {
  return text.split(SEPARATORS).filter((part) => part !== '')
}

/**
 * A field for several values: each becomes a chip as soon as it is separated from the next. The
 * value is the text as it was typed, so that what is not separated yet counts too.
 */
export function ChipsField({
  value,
  onChange,
  end,
  required,
  inputMode,
  ...field
}: FieldFacts & {
  readonly value: string
  readonly onChange: (text: string) => void
  readonly end?: ReactNode
  readonly required?: boolean
  readonly inputMode?: 'decimal' | 'email'
}) {
  const parts = splitChips(value)
  const isOpen = /[^\s;]$/.test(value)
  const typed = isOpen ? (parts.at(-1) ?? '') : ''
  const chips = isOpen ? parts.slice(0, -1) : parts
  const set = (values: readonly string[], text: string) => onChange([...values, text].join(' '))
  const separate = () => set(typed === '' ? chips : [...chips, typed], '')
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && typed !== '') {
      event.preventDefault()
      separate()
    } else if (event.key === 'Backspace' && typed === '' && chips.length > 0)
      set(chips.slice(0, -1), '')
  }
  return (
    <Field {...field}>
      {(wiring) => (
        <span
          className={
            field.error === undefined ? `input ${styles.chips}` : `input invalid ${styles.chips}`
          }
        >
          {chips.map((chip, at) => (
            <span key={`${at} ${chip}`} className={`chip set ${styles.value}`}>
              <span className="cut">{chip}</span>
              <button
                type="button"
                aria-label={everywhere.removeOne(chip)}
                onClick={() => set(chips.toSpliced(at, 1), typed)}
              >
                <X size={12} aria-hidden />
              </button>
            </span>
          ))}
          <input
            autoComplete="off"
            value={typed}
            required={required === true && chips.length === 0}
            {...(inputMode !== undefined && { inputMode })}
            onKeyDown={onKeyDown}
            onBlur={separate}
            onChange={(event) => set(chips, event.currentTarget.value)}
            {...wiring}
          />
          {end}
        </span>
      )}
    </Field>
  )
}
