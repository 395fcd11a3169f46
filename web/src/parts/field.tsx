import { CircleAlert } from 'lucide-react'
import { useId, type ComponentProps, type ReactNode } from 'react'
import type { Fault } from '../api/fault.ts'
import { everywhere } from '../words/everywhere.ts'
import { nameField } from './name-field.ts'

/** What every field has. */
export type FieldFacts = {
  readonly label: string
  readonly hint?: ReactNode
  /** Shown below the field, which then counts as invalid. */
  readonly error?: string | undefined
  readonly optional?: boolean
  readonly hideLabel?: boolean
}

type Wiring = {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
}

/** Label, control, hint and error, connected for screen readers. */
export function Field({
  label,
  hint,
  error,
  optional,
  hideLabel,
  children,
}: FieldFacts & { readonly children: (wiring: Wiring) => ReactNode }) {
  const id = useId()
  const described = error !== undefined || hint !== undefined
  return (
    <div className="field">
      <label htmlFor={id} className={hideLabel === true ? 'sr' : undefined}>
        {label}
        {optional === true && <span className="ink-3"> ({everywhere.optional})</span>}
      </label>
      {children({
        id,
        'aria-describedby': described ? `${id}-text` : undefined,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {error === undefined ? (
        hint !== undefined && (
          <p className="hint" id={`${id}-text`}>
            {hint}
          </p>
        )
      ) : (
        <p className="field-error" id={`${id}-text`} role="alert">
          <CircleAlert size={14} aria-hidden /> {nameField(error, label)}
        </p>
      )}
    </div>
  )
}

export function TextField({
  label,
  hint,
  error,
  optional,
  hideLabel,
  large,
  end,
  ...input
}: FieldFacts &
  Omit<ComponentProps<'input'>, 'className' | 'size'> & {
    readonly large?: boolean
    /** After the text inside the field: a unit, a button. */
    readonly end?: ReactNode
  }) {
  const classes = ['input', large === true ? 'lg' : '', error === undefined ? '' : 'invalid']
  return (
    <Field {...pick({ label, hint, error, optional, hideLabel })}>
      {(wiring) => (
        <span className={classes.filter((name) => name !== '').join(' ')}>
          <input autoComplete="off" {...input} {...wiring} />
          {end}
        </span>
      )}
    </Field>
  )
}

/** An amount in a currency. */
export function AmountField({
  currency,
  ...field
}: Omit<ComponentProps<typeof TextField>, 'inputMode' | 'end'> & { readonly currency: string }) {
  return (
    <TextField inputMode="decimal" end={<span className="ink-3">{currency}</span>} {...field} />
  )
}

export function TextArea({
  label,
  hint,
  error,
  optional,
  hideLabel,
  ...area
}: FieldFacts & Omit<ComponentProps<'textarea'>, 'className'>) {
  return (
    <Field {...pick({ label, hint, error, optional, hideLabel })}>
      {(wiring) => (
        <textarea
          rows={3}
          {...area}
          {...wiring}
          className={error === undefined ? 'input' : 'input invalid'}
        />
      )}
    </Field>
  )
}

export type Option = { readonly value: string; readonly label: string }

/**
 * The browser's own select: keyboard, type-ahead and phones work as people expect. A list whose
 * only value is chosen is shown as text.
 */
export function Select({
  label,
  hint,
  error,
  optional,
  hideLabel,
  options,
  onChange,
  ...select
}: FieldFacts &
  Omit<ComponentProps<'select'>, 'className' | 'onChange'> & {
    readonly options: readonly Option[]
    readonly onChange: (value: string) => void
  }) {
  const [only, ...others] = options
  if (only !== undefined && others.length === 0 && only.value === select.value)
    return (
      <div className="field">
        <span className={hideLabel === true ? 'sr' : 'label'}>{label}</span>
        <span>{only.label}</span>
        {hint !== undefined && <p className="hint">{hint}</p>}
      </div>
    )
  return (
    <Field {...pick({ label, hint, error, optional, hideLabel })}>
      {(wiring) => (
        <select
          {...select}
          {...wiring}
          className="select"
          onChange={(event) => onChange(event.currentTarget.value)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

export function Checkbox({
  label,
  ...input
}: Omit<ComponentProps<'input'>, 'className' | 'type'> & { readonly label: ReactNode }) {
  return (
    <label className="choice">
      <input type="checkbox" {...input} />
      <span>{label}</span>
    </label>
  )
}

/** The message for the field that an error names: `emails[1]` and `emails.x` are about `emails`. */
export function errorAt(fault: Fault | null | undefined, name: string): string | undefined {
  const param = fault?.param ?? ''
  const isAbout = param === name || param.startsWith(`${name}.`) || param.startsWith(`${name}[`)
  return isAbout ? fault?.message : undefined
}

/** Whether a field shows the error: by the names of fields, and codes that belong to one. */
export function isAtField(fault: Fault, fields: readonly string[]): boolean {
  return fields.some((name) => fault.code === name || errorAt(fault, name) !== undefined)
}

/** Optional properties must be absent rather than undefined. */
function pick(shared: { [Key in keyof FieldFacts]: FieldFacts[Key] | undefined }): FieldFacts {
  return Object.fromEntries(
    Object.entries(shared).filter(([, value]) => value !== undefined),
  ) as FieldFacts
}
