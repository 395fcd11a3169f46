import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { formatCount } from '../../../format/number.ts'
import { Code } from '../../../parts/code.tsx'
import { Select, TextField } from '../../../parts/field.tsx'
import { operatorEngines } from '../../../words/operator-engines.ts'
import { operatorSetup as words } from '../../../words/operator-setup.ts'
import { stateOf, type EngineRow } from '../engines/merge-engines.ts'
import { settingsText } from '../settings-text.ts'
import styles from './setup.module.css'

const KINDS = ['vllm', 'sglang', 'llama-server', 'openai']
const FIRST_NAME = 'gpu-1'
const SHOWN = 3
/** The defaults of a first installation on one machine. */
const HEALTH_URLS = ['http://127.0.0.1:9090', 'http://127.0.0.1:9091']

/** What the processes found at each engine, or the lines that connect the first one. */
export function EngineStep({
  engines,
  isSeen,
  isDone,
}: {
  readonly engines: readonly EngineRow[]
  readonly isSeen: boolean
  readonly isDone: boolean
}) {
  if (engines.length > 0 && isSeen)
    return (
      <>
        <ul>
          {engines.slice(0, SHOWN).map((engine) => (
            <li key={engine.name}>{describe(engine)}</li>
          ))}
        </ul>
        {!isDone && (
          <Link className={`btn sm ${styles.after}`} to="/operator/engines">
            {words.showEngines}
          </Link>
        )}
      </>
    )
  return (
    <>
      {engines.length === 0 && <NewEngine />}
      {!isSeen && (
        <>
          <p className={styles.after}>{words.unseen}</p>
          <Code
            text={settingsText({ console: { api_health_urls: HEALTH_URLS } })}
            what={words.unseenYaml}
          />
        </>
      )}
    </>
  )
}

function describe(engine: EngineRow): string {
  const { name, kind, merged, missing } = engine
  const state = stateOf(engine)
  if (state !== 'ready')
    return words.notReady(
      name,
      state === null ? operatorEngines.unknown : operatorEngines.states[state],
    )
  const slots = formatCount(merged?.found ?? null)
  const ready = words.ready(name, kind ?? operatorEngines.unknown, slots)
  if (missing === null) return ready
  return `${ready} ${missing.length === 0 ? words.found : words.missing(missing.join(', '))}`
}

function NewEngine() {
  const [kind, setKind] = useState('vllm')
  const [url, setUrl] = useState('http://gpu-1.internal:8000')
  const [slots, setSlots] = useState('256')
  const entry = {
    name: FIRST_NAME,
    kind,
    url,
    api_key_env: 'HEADRACE_GPU_1_KEY',
    slots: Number(slots),
  }
  return (
    <>
      <p>{words.engineText}</p>
      <div className={styles.fields}>
        <Select
          label={words.engineKind}
          value={kind}
          onChange={setKind}
          options={KINDS.map((value) => ({ value, label: value }))}
        />
        <TextField
          label={words.engineUrl}
          type="url"
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
        />
        <TextField
          label={words.engineSlots}
          hint={words.engineSlotsHint}
          type="number"
          min={1}
          value={slots}
          onChange={(event) => setSlots(event.currentTarget.value)}
        />
      </div>
      <Code text={settingsText({ engines: [entry] })} what={words.engineYaml} />
    </>
  )
}

/** The models that engines serve, or the lines that offer the first one. */
export function ModelStep({ engines }: { readonly engines: readonly EngineRow[] }) {
  const [id, setId] = useState('example/large')
  const served = [...new Set(engines.flatMap(({ models }) => models))].slice(0, SHOWN).join(', ')
  if (served !== '') return <p>{words.served(served)}</p>
  const model = {
    id,
    owned_by: id.split('/')[0],
    price: { input: 0.2, output: 0.6 },
    engines: [engines[0]?.name ?? FIRST_NAME],
  }
  return (
    <>
      <p>{words.modelText}</p>
      <div className={styles.fields}>
        <TextField
          label={words.modelId}
          value={id}
          onChange={(event) => setId(event.currentTarget.value)}
        />
      </div>
      <Code text={settingsText({ models: [model] })} what={words.modelYaml} />
    </>
  )
}
