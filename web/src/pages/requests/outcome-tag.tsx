import type { RequestSummary } from '../../api/routes.ts'
import { Tag, type Tone } from '../../parts/tag.tsx'
import { requests as words } from '../../words/requests.ts'
import type { Outcome } from './search.ts'
import { outcomeOf } from './shown-outcome.ts'
import styles from './requests.module.css'

const TONES: Readonly<Record<Outcome, Tone | undefined>> = {
  completed: 'ok',
  failed: 'bad',
  abandoned: undefined,
  lost: 'bad',
  refused: 'warn',
}

/** What became of a request; of a refusal its status and code. */
export function OutcomeTag({ request }: { readonly request: RequestSummary }) {
  const { error } = request
  const outcome = outcomeOf(request)
  const tone = TONES[outcome]
  return (
    <>
      <Tag {...(tone !== undefined && { tone })}>{words.outcomes[outcome]}</Tag>
      {error !== null && (
        <span className={`ink-3 xs ${styles.errorCode}`}>
          {error.status} <code>{error.code}</code>
        </span>
      )}
    </>
  )
}

/** Before the title of a request: the status of its answer. */
export function StatusTag({
  request,
}: {
  readonly request: Pick<RequestSummary, 'outcome' | 'error'>
}) {
  const { error } = request
  const outcome = outcomeOf(request)
  const tone = TONES[outcome]
  const text = error?.status ?? (outcome === 'completed' ? 200 : words.outcomes[outcome])
  return <Tag {...(tone !== undefined && { tone })}>{text}</Tag>
}
