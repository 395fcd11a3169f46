import { useId } from 'react'
import {
  IGNORABLE_PARAMETERS,
  joinIgnored,
  type IgnorableParameter,
} from '../../../../src/contract/ignorable-parameters.ts'
import type { Fault } from '../../api/fault.ts'
import type { PlanModel } from '../../api/routes.ts'
import { formatDate } from '../../format/time.ts'
import { Checkbox, errorAt, Select, TextField } from '../../parts/field.tsx'
import { nameField } from '../../parts/name-field.ts'
import { keyDialogs as words } from '../../words/key-dialogs.ts'
import { DAYS_OFFERED, mistakesIn, type Draft } from './key-draft.ts'
import styles from './keys.module.css'

const DAY_MS = 86_400_000
const YEAR_DAYS = 365
const NAME_MAX = 100

type Props = {
  readonly draft: Draft
  readonly change: (part: Partial<Draft>) => void
  readonly fault: Fault | null
}

export function NameField({ draft, change, fault, hint }: Props & { readonly hint?: string }) {
  return (
    <TextField
      label={words.name}
      {...(hint !== undefined && { hint })}
      required
      maxLength={NAME_MAX}
      value={draft.name}
      onChange={(event) => change({ name: event.currentTarget.value })}
      error={errorAt(fault, 'name')}
    />
  )
}

export function EndField({
  draft,
  change,
  fault,
  stored,
}: Props & {
  /** When the key ends now; absent for a new one. */
  readonly stored?: string | null
}) {
  const now = Date.now()
  const options = DAYS_OFFERED.map((days) => {
    const date = formatDate(now + days * DAY_MS)
    return {
      value: String(days),
      label: days === YEAR_DAYS ? words.inOneYear(date) : words.inDays(days, date),
    }
  })
  if (stored !== undefined && stored !== null)
    options.unshift({ value: 'same', label: words.unchanged(formatDate(stored)) })
  options.push({ value: 'date', label: words.onDate }, { value: 'never', label: words.never })
  return (
    <>
      <Select
        label={words.ends}
        options={options}
        value={draft.ends}
        onChange={(ends) => change({ ends })}
        error={errorAt(fault, 'expires_at')}
      />
      {draft.ends === 'date' && (
        <TextField
          label={words.endsOn}
          type="date"
          required
          min={new Date(now).toISOString().slice(0, 10)}
          value={draft.date}
          onChange={(event) => change({ date: event.currentTarget.value })}
        />
      )}
    </>
  )
}

export function ModelFields({
  draft,
  change,
  fault,
  models,
}: Props & { readonly models: readonly PlanModel[] }) {
  const name = useId()
  const { models: chosen } = draft
  const error =
    fault?.param?.startsWith('models') === true ? nameField(fault.message, words.models) : undefined
  const toggle = (id: string) => {
    const kept = models.map((model) => model.id).filter((each) => chosen?.includes(each))
    const has = kept.includes(id)
    change({ models: has ? kept.filter((each) => each !== id) : [...kept, id] })
  }
  return (
    <fieldset className="field">
      <legend className="label">{words.models}</legend>
      <div className="stack">
        <label className="choice">
          <input
            type="radio"
            name={name}
            checked={chosen === null}
            onChange={() => change({ models: null })}
          />
          <span>{words.allModels}</span>
        </label>
        <label className="choice">
          <input
            type="radio"
            name={name}
            checked={chosen !== null}
            onChange={() => change({ models: models.map(({ id }) => id) })}
          />
          <span>{words.someModels}</span>
        </label>
        {chosen !== null && (
          <div className={styles.inset}>
            {models.map(({ id, shutdown_date: until }) => (
              <Checkbox
                key={id}
                checked={chosen.includes(id)}
                onChange={() => toggle(id)}
                label={
                  <>
                    <code>{id}</code>{' '}
                    {until !== null && (
                      <span className="ink-3 xs">{words.until(formatDate(until, 'UTC'))}</span>
                    )}
                  </>
                }
              />
            ))}
          </div>
        )}
        {(error !== undefined || mistakesIn(draft).models) && (
          <p className="field-error" role="alert">
            {error ?? words.noModel}
          </p>
        )}
      </div>
    </fieldset>
  )
}

export function LimitFields({
  draft,
  change,
  fault,
  currency,
}: Props & { readonly currency: string | undefined }) {
  return (
    <div className="pair">
      <TextField
        label={words.perMinute}
        hint={words.perMinuteHint}
        inputMode="numeric"
        value={draft.perMinute}
        onChange={(event) => change({ perMinute: event.currentTarget.value })}
        error={
          mistakesIn(draft).perMinute ? words.notANumber : errorAt(fault, 'requests_per_minute')
        }
      />
      <TextField
        label={words.spending}
        hint={words.spendingHint}
        inputMode="decimal"
        value={draft.spending}
        end={currency !== undefined && <span className="ink-3">{currency}</span>}
        onChange={(event) => change({ spending: event.currentTarget.value })}
        error={errorAt(fault, 'spending_limit')}
      />
    </div>
  )
}

export function IgnoredFields({ draft, change, fault }: Props) {
  const { ignored } = draft
  const hint = useId()
  const error =
    fault?.param?.startsWith('ignored_parameters') === true
      ? nameField(fault.message, words.ignored)
      : undefined
  const toggle = (name: IgnorableParameter) => {
    const others = ignored.filter((each) => each !== name)
    change({ ignored: ignored.includes(name) ? others : joinIgnored(others, [name]) })
  }
  return (
    <fieldset className="field" aria-describedby={hint}>
      <legend className="label">{words.ignored}</legend>
      <p id={hint} className="hint">
        {words.ignoredHint}
      </p>
      <div className="stack">
        {IGNORABLE_PARAMETERS.map((name) => (
          <Checkbox
            key={name}
            checked={ignored.includes(name)}
            onChange={() => toggle(name)}
            label={<code>{name}</code>}
          />
        ))}
        {error !== undefined && (
          <p className="field-error" role="alert">
            {error}
          </p>
        )}
      </div>
    </fieldset>
  )
}
