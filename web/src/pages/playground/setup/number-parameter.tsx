import { RotateCcw } from 'lucide-react'
import { useId } from 'react'
import { IconButton } from '../../../parts/button.tsx'
import { TextField } from '../../../parts/field.tsx'
import { playground } from '../../../words/playground.ts'
import { NUMBERS, readNumber, type NumberName } from './parameters.ts'
import styles from './setup.module.css'

const words = playground.setup

type Props = {
  readonly name: NumberName
  readonly label: string
  readonly value: string | undefined
  /** Undefined: the parameter is not sent. */
  readonly onChange: (text: string | undefined) => void
}

/** A number as text; outside of its bounds the field says what they are. */
export function NumberParameter({
  name,
  label,
  value,
  onChange,
  unit,
  placeholder = words.modelDefault,
}: Props & { readonly unit?: string; readonly placeholder?: string }) {
  const isWrong = readNumber(name, value) === null
  return (
    <TextField
      label={label}
      inputMode="decimal"
      value={value ?? ''}
      placeholder={placeholder}
      error={isWrong ? boundsOf(name) : undefined}
      end={unit === undefined ? undefined : <span className="ink-3 xs">{unit}</span>}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value === '' ? undefined : currentTarget.value)
      }
    />
  )
}

function boundsOf(name: NumberName): string {
  const { minimum, maximum, whole } = NUMBERS[name]
  if (whole !== true) return words.between(minimum, maximum)
  return minimum > 0 ? words.wholeFrom(minimum) : words.whole
}

const STEP = 0.1
const UNSET = 1

/** A number by sliding. Until it is moved, the model's default is used and nothing is sent. */
export function Slider({ name, label, value, onChange }: Props) {
  const id = useId()
  const { minimum, maximum } = NUMBERS[name]
  const number = readNumber(name, value) ?? undefined
  return (
    <div className={`field ${styles.sliderField}`}>
      <div className="row">
        <label htmlFor={id}>{label}</label>
        <span className="push num">{number ?? words.modelDefault}</span>
        {value !== undefined && (
          <IconButton label={words.reset(label)} onClick={() => onChange(undefined)}>
            <RotateCcw size={14} aria-hidden />
          </IconButton>
        )}
      </div>
      <input
        id={id}
        type="range"
        className={number === undefined ? `${styles.range} ${styles.unset}` : styles.range}
        min={minimum}
        max={maximum}
        step={STEP}
        value={number ?? UNSET}
        aria-valuetext={number === undefined ? words.modelDefault : String(number)}
        style={
          {
            '--share': `${(((number ?? minimum) - minimum) * 100) / (maximum - minimum)}%`,
          } as object
        }
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </div>
  )
}
