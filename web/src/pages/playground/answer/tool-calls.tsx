import { Check, Wrench } from 'lucide-react'
import { useId, useState } from 'react'
import { Button } from '../../../parts/button.tsx'
import { Tag } from '../../../parts/tag.tsx'
import { playground } from '../../../words/playground.ts'
import type { Call } from '../stream/reply.ts'
import type { Run } from '../stream/run.ts'
import { isActive } from '../columns.ts'
import { JsonText } from './json-text.tsx'
import styles from '../talk.module.css'

type Results = Readonly<Record<string, string>>

const words = playground.call

/** The calls of an answer as cards: arguments as they grow, and a field for each result. */
export function ToolCalls({
  run,
  results,
  open,
  onSend,
}: {
  readonly run: Run
  readonly results: Results | null
  readonly open: boolean
  readonly onSend: (results: Results) => void
}) {
  const [typed, setTyped] = useState<Results>({})
  const { calls } = run.reply
  const canAnswer = open && results === null && run.state === 'complete'
  const isReady = calls.every((call) => (typed[call.id] ?? '') !== '')
  const send = () => {
    if (isReady) onSend(typed)
  }
  return (
    <>
      {calls.map((call, index) => (
        <ToolCard
          key={call.id}
          call={call}
          isGrowing={isActive(run) && index === calls.length - 1}
          sent={results?.[call.id]}
          value={canAnswer ? (typed[call.id] ?? '') : undefined}
          onType={(text) => setTyped({ ...typed, [call.id]: text })}
          onSend={send}
        />
      ))}
      {canAnswer && (
        <div>
          <Button look="primary" disabled={!isReady} onClick={send}>
            {calls.length === 1 ? words.send : words.sendAll(calls.length)}
          </Button>
        </div>
      )}
    </>
  )
}

function ToolCard({
  call,
  isGrowing,
  sent,
  value,
  onType,
  onSend,
}: {
  readonly call: Call
  readonly isGrowing: boolean
  readonly sent: string | undefined
  /** Undefined: no result can be given. */
  readonly value: string | undefined
  readonly onType: (text: string) => void
  readonly onSend: () => void
}) {
  const id = useId()
  return (
    <section className={styles.toolcall} data-shows="tool-call" aria-label={call.name}>
      <div className={styles.toolcallHead}>
        <Wrench size={16} aria-hidden />
        <b className="mono cut">{call.name}</b>
        <span className="mono ink-3 cut grow">{call.id}</span>
        {isGrowing && <Tag tone="accent">{words.growing}</Tag>}
        {value !== undefined && <Tag tone="warn">{words.waits}</Tag>}
        {sent !== undefined && (
          <Tag tone="ok">
            <Check size={12} aria-hidden /> {words.sent}
          </Tag>
        )}
      </div>
      <div className={styles.toolcallBody}>
        <div>
          <p className={styles.tinyLabel}>{words.arguments}</p>
          <JsonText text={call.arguments} />
        </div>
        {sent !== undefined && (
          <div>
            <p className={styles.tinyLabel}>{words.result}</p>
            <JsonText text={sent} />
          </div>
        )}
        {value !== undefined && (
          <div>
            <label className={styles.tinyLabel} htmlFor={id}>
              {words.resultOf(call.name)}
            </label>
            <textarea
              id={id}
              className="input mono"
              rows={2}
              value={value}
              placeholder={words.placeholder}
              onChange={(event) => onType(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onSend()
              }}
            />
          </div>
        )}
      </div>
    </section>
  )
}
