import { Check, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { CopyButton } from '../../../parts/copy.tsx'
import { Tag } from '../../../parts/tag.tsx'
import { playground } from '../../../words/playground.ts'
import type { ChatBody } from '../setup/chat-body.ts'
import type { Verdict } from './check-answer.ts'
import { JsonText } from './json-text.tsx'
import { layOutJson } from './lay-out-json.ts'
import styles from '../talk.module.css'

const words = playground.json

/** Longer answers are shown as they came, and are not checked: both take time on the page. */
const CHECKED_LENGTH_MAX = 200_000

export function asksForJson({ response_format: format }: ChatBody): boolean {
  return format?.type === 'json_object' || format?.type === 'json_schema'
}

/** An answer that was asked for as JSON: laid out, and checked against the schema at its end. */
export function JsonAnswer({
  text,
  body,
  ended,
}: {
  readonly text: string
  readonly body: ChatBody
  readonly ended: boolean
}) {
  const verdict = useVerdict(text, body, ended && text.length <= CHECKED_LENGTH_MAX)
  const isJson = verdict !== undefined && verdict.kind !== 'not_json'
  return (
    <div className={styles.jsonAnswer}>
      <div className="code" data-shows="json">
        <div className="code-copy">
          <CopyButton value={text} what={words.copied} />
        </div>
        {isJson ? <JsonText text={layOutJson(text)} /> : <pre tabIndex={0}>{text}</pre>}
      </div>
      {verdict !== undefined && <VerdictLine verdict={verdict} />}
    </div>
  )
}

function VerdictLine({ verdict }: { readonly verdict: Verdict }) {
  const good = verdict.kind === 'valid' || verdict.kind === 'json'
  return (
    <p className="row wrap xs" role="status" data-shows="verdict">
      <Tag tone={good ? 'ok' : 'bad'}>
        {good ? <Check size={12} aria-hidden /> : <X size={12} aria-hidden />}
        {words.verdicts[verdict.kind]}
      </Tag>
      {verdict.kind === 'invalid' && (
        <span className="ink-2">
          <code>{verdict.at === '' ? words.wholeAnswer : verdict.at}</code> {verdict.message}
        </span>
      )}
    </p>
  )
}

function useVerdict(text: string, body: ChatBody, isNeeded: boolean): Verdict | undefined {
  const [verdict, setVerdict] = useState<Verdict>()
  useEffect(() => {
    if (!isNeeded) return
    let left = false
    const format = body.response_format
    const schema = format?.type === 'json_schema' ? format.json_schema.schema : undefined
    // Without the code that checks, the answer is shown as it came.
    import('./check-answer.ts')
      .then(({ checkAnswer }) => left || setVerdict(checkAnswer(text, schema)))
      .catch(() => {})
    return () => {
      left = true
    }
  }, [text, body, isNeeded])
  return isNeeded ? verdict : undefined
}
