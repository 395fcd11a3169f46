import styles from './requests.module.css'
import { Check, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { request as words } from '../../words/request.ts'
import { CheckedLimits } from './checked-limits.tsx'
import { stepsOf, type Explained, type Step } from './explain.ts'
import { Figures } from './figures.tsx'

/** The steps of a request from the key to the ledger, or to where it was refused. */
export function RequestWalk({
  request,
  by,
}: {
  readonly request: Explained
  /** Who sent it, as a sentence. */
  readonly by: ReactNode
}) {
  const authenticated = (
    <WalkStep name={words.steps.authenticated} state="ok" at="">
      {by}
    </WalkStep>
  )
  if (request.outcome === 'refused')
    return (
      <ol className={styles.walk}>
        {authenticated}
        <RefusedSteps request={request} />
      </ol>
    )
  const steps = stepsOf(request)
  return (
    <ol className={styles.walk}>
      {authenticated}
      {steps.map((step, at) => (
        <WalkStep key={step.name} {...step} last={at === steps.length - 1}>
          <Figures text={step.text} />
        </WalkStep>
      ))}
    </ol>
  )
}

const STATES = { ok: 'ok', bad: 'bad', later: styles.later } as const

function WalkStep({
  name,
  state,
  at,
  last = false,
  more,
  children,
}: Omit<Step, 'text'> & {
  readonly last?: boolean
  readonly more?: ReactNode
  readonly children?: ReactNode
}) {
  return (
    <li className={last ? `${STATES[state]} ${styles.last}` : STATES[state]}>
      <span className={styles.node} aria-hidden>
        {state === 'ok' && <Check size={12} />}
        {state === 'bad' && <X size={12} />}
      </span>
      <div className={styles.step}>
        <div className={styles.stepHead}>
          <h3>{name}</h3>
          <span className={`${styles.at} num`}>{at}</span>
        </div>
        {children !== undefined && <p>{children}</p>}
        {more}
      </div>
    </li>
  )
}

function RefusedSteps({ request }: { readonly request: Explained }) {
  const { error } = request
  const { steps } = words
  if (error === null) return null
  const limited = error.limits.length > 0
  const wait = error.retry_after_ms
  return (
    <>
      <WalkStep
        name={steps.refused}
        state="bad"
        at=""
        more={error.checked.length > 0 && <CheckedLimits error={error} />}
      >
        {limited ? steps.refusedLimits : steps.refusedOther}
      </WalkStep>
      <WalkStep
        name={steps.answered(error.status)}
        state="bad"
        at=""
        last
        more={
          wait !== null && (
            <div className={styles.heads}>
              <code>retry-after: {Math.max(1, Math.ceil(wait / 1000))}</code>
              <code>retry-after-ms: {wait}</code>
            </div>
          )
        }
      >
        <code>{error.code}</code>
        {error.param !== null && (
          <>
            {' '}
            <code>{error.param}</code>
          </>
        )}
      </WalkStep>
      <WalkStep name={steps.notReached} state="later" at="" />
    </>
  )
}
