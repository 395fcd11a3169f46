import { Link } from '@tanstack/react-router'
import { Check, Circle } from 'lucide-react'
import type { Configuration } from '../../../api/routes.ts'
import { operatorSetup as words } from '../../../words/operator-setup.ts'
import { findAccess, type AccessFact } from './find-steps.ts'
import styles from './setup.module.css'

export function TestStep({
  slug,
  isDone,
}: {
  readonly slug: string | undefined
  readonly isDone: boolean
}) {
  if (isDone) return <p>{words.tested}</p>
  if (slug === undefined)
    return (
      <>
        <p>{words.noOrganization}</p>
        <Link className={`btn sm ${styles.after}`} to="/operator/organizations">
          {words.toOrganizations}
        </Link>
      </>
    )
  return (
    <>
      <p>{words.testText}</p>
      <Link className={`btn sm ${styles.after}`} to="/o/$slug/playground" params={{ slug }}>
        {words.toPlayground}
      </Link>
    </>
  )
}

/** What people need to come in: each setting with what it does, or what is missing. */
export function AccessStep({ settings }: { readonly settings: Configuration['settings'] }) {
  const { console: given } = settings as {
    readonly console?: { readonly sign_up?: keyof typeof words.signUp }
  }
  const facts = Object.entries(findAccess(settings)) as [AccessFact, boolean][]
  return (
    <>
      <p>{words.signUp[given?.sign_up ?? 'closed']}</p>
      <ul className={styles.points}>
        {facts.map(([name, isSet]) => (
          <Fact key={name} isSet={isSet} text={words.accessFacts[name][isSet ? 'has' : 'lacks']} />
        ))}
      </ul>
    </>
  )
}

export function OperatorsStep({
  hasSecondFactor,
  operators,
}: {
  readonly hasSecondFactor: boolean
  readonly operators: number
}) {
  const hasOthers = operators > 1
  return (
    <>
      <ul className={styles.points}>
        <Fact
          isSet={hasSecondFactor}
          text={hasSecondFactor ? words.hasFactor : words.lacksFactor}
        />
        <Fact isSet={hasOthers} text={hasOthers ? words.hasOthers : words.lacksOthers} />
      </ul>
      {!hasSecondFactor && (
        <Link className={`btn sm ${styles.after}`} to="/account/security">
          {words.addFactor}
        </Link>
      )}
    </>
  )
}

function Fact({ isSet, text }: { readonly isSet: boolean; readonly text: string }) {
  const Icon = isSet ? Check : Circle
  return (
    <li>
      <Icon size={14} className={isSet ? 'ok' : 'ink-3'} aria-hidden /> <span>{text}</span>
    </li>
  )
}
