import type { PlanModel } from '../../../api/routes.ts'
import { formatAmount, formatCount } from '../../../format/number.ts'
import { formatDate } from '../../../format/time.ts'
import { Select, TextArea } from '../../../parts/field.tsx'
import { Segments } from '../../../parts/tabs.tsx'
import { models as modelWords } from '../../../words/models.ts'
import { playground } from '../../../words/playground.ts'
import { ModelState } from '../../models/model-state.tsx'
import { FORMATS, type PlaygroundSearch } from '../search.ts'
import type { Talk, TalkState } from '../talk.ts'
import { MoreParameters } from './more-parameters.tsx'
import { NumberParameter, Slider } from './number-parameter.tsx'
import { SchemaRow, Tools } from './tools.tsx'
import styles from './setup.module.css'

const words = playground.setup

export type SetupProps = {
  readonly search: PlaygroundSearch
  readonly onChange: (part: Partial<Record<keyof PlaygroundSearch, string | undefined>>) => void
  readonly models: readonly PlanModel[]
  readonly model: PlanModel
  readonly second: PlanModel | undefined
  readonly talk: Talk
  readonly state: TalkState
}

/** Everything that is sent with the messages. What is empty is not sent. */
export function SettingsPanel(props: SetupProps) {
  const { search, onChange, models, model, second, talk, state } = props
  // What one of two models does not know would be refused.
  const efforts = model.reasoning_efforts.filter(
    (effort) => second === undefined || second.reasoning_efforts.includes(effort),
  )
  return (
    <>
      <ModelChoice
        label={words.model}
        models={models}
        model={model}
        onChoose={(id) => onChange({ model: id, reasoning_effort: undefined })}
      />
      {second !== undefined && (
        <ModelChoice
          label={words.secondModel}
          models={models}
          model={second}
          onChoose={(id) => onChange({ compare: id })}
        />
      )}
      {efforts.length > 0 && (
        <div className="field">
          <span className="label">{words.effort}</span>
          <Segments
            block
            label={words.effort}
            chosen={search.reasoning_effort ?? ''}
            onChoose={(value) => onChange({ reasoning_effort: value === '' ? undefined : value })}
            options={[
              { value: '', label: words.modelDefault },
              ...efforts.map((value) => ({ value, label: value })),
            ]}
          />
        </div>
      )}
      <Slider
        name="temperature"
        label={words.temperature}
        value={search.temperature}
        onChange={(temperature) => onChange({ temperature })}
      />
      <NumberParameter
        name="max_completion_tokens"
        label={words.outputLimit}
        unit={words.tokens}
        placeholder={formatCount(model.default_output_tokens)}
        value={search.max_completion_tokens}
        onChange={(text) => onChange({ max_completion_tokens: text })}
      />
      <Select
        label={words.format}
        value={search.format ?? 'text'}
        options={FORMATS.map((value) => ({ value, label: words.formats[value] }))}
        onChange={(value) => onChange({ format: value === 'text' ? undefined : value })}
      />
      {search.format === 'json_schema' && <SchemaRow talk={talk} schema={state.schema} />}
      <Tools talk={talk} tools={state.tools} search={search} onChange={onChange} />
      <TextArea
        label={words.system}
        rows={3}
        value={state.system}
        onChange={(event) => talk.change({ system: event.currentTarget.value })}
      />
      <MoreParameters search={search} onChange={onChange} />
    </>
  )
}

function ModelChoice({
  label,
  models,
  model,
  onChoose,
}: {
  readonly label: string
  readonly models: readonly PlanModel[]
  readonly model: PlanModel
  readonly onChoose: (id: string) => void
}) {
  return (
    <div className={styles.modelChoice}>
      <Select
        label={label}
        value={model.id}
        options={models.map((each) => ({ value: each.id, label: labelOf(each) }))}
        onChange={onChoose}
      />
      <dl className={styles.tiny}>
        <div>
          <dt>{words.state}</dt>
          <dd>
            <ModelState shutdown={model.shutdown_date} availability={model.availability} />
          </dd>
        </div>
        <div>
          <dt>{words.context}</dt>
          <dd>{formatCount(model.context_length)}</dd>
        </div>
        <div>
          <dt>{words.output}</dt>
          <dd>{formatCount(model.max_output_tokens)}</dd>
        </div>
        <Prices model={model} />
      </dl>
    </div>
  )
}

/** A model that may not answer says so before it is chosen. */
function labelOf({ id, availability: { state } }: PlanModel): string {
  const isNamed = state === 'short' || state === 'unavailable'
  return isNamed ? words.modelIn(id, modelWords.states[state]) : id
}

function Prices({ model: { prices, shutdown_date: end } }: { readonly model: PlanModel }) {
  return (
    <div>
      <dt>{prices === null ? words.free : words.price(prices.input.currency)}</dt>
      <dd>
        {prices === null
          ? null
          : [prices.input, prices.cached_input, prices.output]
              .map((money) => formatAmount(money.amount_micro))
              .join(' / ')}
        {end !== null && <span className="ink-3"> {words.until(formatDate(end, 'UTC'))}</span>}
      </dd>
    </div>
  )
}
