import { Ban, Clock, EyeOff, FileCheck, Lock, type LucideIcon } from 'lucide-react'
import { useState } from 'react'
import type { Retention } from '../../api/routes.ts'
import { useApi, useChange } from '../../api/use-api.ts'
import { formatDate } from '../../format/time.ts'
import { Button } from '../../parts/button.tsx'
import { FaultNote, Loaded } from '../../parts/states.tsx'
import { Tag } from '../../parts/tag.tsx'
import { say } from '../../parts/toast.tsx'
import { useMemberNames } from '../../shell/member-names.ts'
import { useOrganization } from '../../shell/organization.tsx'
import { Slots } from '../../parts/slots.tsx'
import { retention as words } from '../../words/settings.ts'
import { AcceptTerms } from './accept-terms.tsx'
import { KeptNow } from './kept-now.tsx'
import styles from './settings.module.css'

type Value = Retention['retention']

const VALUES: readonly Value[] = ['zero', 'standard', 'contributor']

export function RetentionPage() {
  const { path } = useOrganization()
  const reading = useApi('GET /organizations/{organization}/retention', { path })
  return (
    <Loaded reading={reading} what={words.lead}>
      {(retention) => (
        <>
          <RetentionForm key={retention.retention} retention={retention} />
          <KeptNow retention={retention} />
        </>
      )}
    </Loaded>
  )
}

function RetentionForm({ retention }: { readonly retention: Retention }) {
  const { path, may } = useOrganization()
  const [chosen, setChosen] = useState(retention.retention)
  const [reading, setReading] = useState(false)
  const change = useChange('PUT /organizations/{organization}/retention', [
    'GET /organizations/{organization}/retention',
    'GET /organizations/{organization}',
  ])
  const mayChange = may('retention:write')
  const save = (terms?: string) =>
    change.mutate(
      { path, body: { retention: chosen, ...(terms !== undefined && { terms_version: terms }) } },
      {
        onSuccess: (now) => {
          setReading(false)
          say(words.saved(now.retention))
        },
      },
    )
  const isSame = chosen === retention.retention
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (chosen === 'contributor') setReading(true)
        else save()
      }}
    >
      <fieldset>
        <Lead />
        <div className={styles.keeps}>
          {VALUES.map((value) => (
            <Keep
              key={value}
              value={value}
              retention={retention}
              isChosen={value === chosen}
              isOffered={
                mayChange && (value !== 'contributor' || retention.contributor_terms !== null)
              }
              onChoose={() => setChosen(value)}
            />
          ))}
        </div>
      </fieldset>
      <div className={styles.savebar}>
        {change.error !== null && !reading && <FaultNote fault={change.error} />}
        <span className="ink-3">
          {!mayChange ? words.onlyOwners : isSame ? words.unchanged : words.keptStays}
        </span>
        {mayChange && (
          <Button look="primary" type="submit" busy={change.isPending} disabled={isSame}>
            {words.save}
          </Button>
        )}
      </div>
      {reading && retention.contributor_terms !== null && (
        <AcceptTerms
          terms={retention.contributor_terms}
          days={retention.contributor_days}
          fault={change.error}
          busy={change.isPending}
          onAccept={save}
          onClose={() => setReading(false)}
        />
      )}
    </form>
  )
}

function Lead() {
  return (
    <legend className={styles.lead}>
      <b>{words.lead}</b>
      <span>
        <Slots text={words.leadText} parts={{ header: <code>{words.header}</code> }} />
      </span>
    </legend>
  )
}

function Keep({
  value,
  retention,
  isChosen,
  isOffered,
  onChoose,
}: {
  readonly value: Value
  readonly retention: Retention
  readonly isChosen: boolean
  readonly isOffered: boolean
  readonly onChoose: () => void
}) {
  return (
    <label className={isChosen ? `${styles.keep} ${styles.on}` : styles.keep}>
      <span className={styles.keepHead}>
        <input
          type="radio"
          name="retention"
          checked={isChosen}
          disabled={!isOffered && !isChosen}
          onChange={onChoose}
        />
        <code>{value}</code>
        <span className="push">
          {retention.in_force === value ? (
            <Tag tone="accent">{words.inForce}</Tag>
          ) : (
            retention.retention === value && <Tag tone="warn">{words.chosenNotInForce}</Tag>
          )}
        </span>
      </span>
      <span className={styles.keepPromise}>{words.promise[value]}</span>
      <Points value={value} retention={retention} />
      <span className={styles.keepFoot}>
        <Foot value={value} retention={retention} />
      </span>
    </label>
  )
}

function Points({ value, retention }: { readonly value: Value; readonly retention: Retention }) {
  const { name } = useOrganization()
  const { points } = words
  const terms = retention.contributor_terms
  const lists: Readonly<Record<Value, readonly (readonly [LucideIcon, string])[]>> = {
    zero: [
      [EyeOff, points.nobody],
      [Clock, points.untilEnd],
      [Ban, points.noTraining],
    ],
    standard: [
      [Lock, points.encrypted(name)],
      [Clock, points.days(retention.standard_days)],
      [Ban, points.noTraining],
    ],
    contributor: [
      [Lock, points.encrypted(name)],
      [Clock, points.days(retention.contributor_days)],
      [FileCheck, terms === null ? points.noTerms : points.terms(terms.version)],
    ],
  }
  return (
    <ul>
      {lists[value].map(([Icon, text]) => (
        <li key={text}>
          <Icon size={16} aria-hidden />
          <span>{text}</span>
        </li>
      ))}
    </ul>
  )
}

function Foot({ value, retention }: { readonly value: Value; readonly retention: Retention }) {
  const nameOf = useMemberNames()
  const { foot } = words
  const { consent } = retention
  if (value === retention.retention) {
    if (retention.in_force !== value) return words.serviceKeepsNothing
    if (value !== 'contributor' || consent === null) return foot.current
    const who = nameOf(consent.accepted_by) ?? foot.former
    return foot.acceptedBy(formatDate(consent.accepted_at), who)
  }
  if (value !== 'contributor') return foot.next
  return retention.contributor_terms === null ? foot.notOffered : foot.readTerms
}
