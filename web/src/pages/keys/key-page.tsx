import { Link, useParams } from '@tanstack/react-router'
import { ChevronLeft, CircleSlash, Clock, RefreshCw } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { Key } from '../../api/routes.ts'
import { formatInstant, formatSpan } from '../../format/time.ts'
import { Button } from '../../parts/button.tsx'
import { Page } from '../../parts/page.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Dot } from '../../parts/tag.tsx'
import { useNow } from '../../parts/now.ts'
import { useOrganization } from '../../shell/organization.tsx'
import { keyPage as words } from '../../words/key-page.ts'
import { keyDialogs } from '../../words/key-dialogs.ts'
import { keys } from '../../words/keys.ts'
import { EditKey } from './edit-key.tsx'
import { KeyAudit, KeyRefusals, KeyRequests } from './key-activity.tsx'
import { ShownKey } from './key-row.tsx'
import { KeySettings } from './key-settings.tsx'
import { stateOf, type KeyState } from './key-state.ts'
import { KeyUsage } from './key-usage.tsx'
import { RevokeKey } from './revoke-key.tsx'
import { RotateKey } from './rotate-key.tsx'
import { useKey, type VersionedKey } from './use-key.ts'
import { useMayRotate } from './use-may-rotate.ts'
import styles from './keys.module.css'

export function KeyPage() {
  const { key = '', slug = '' } = useParams({ strict: false })
  const reading = useKey(key)
  const crumb = (
    <Link className="quiet-link xs" to="/o/$slug/keys" params={{ slug }}>
      <ChevronLeft size={14} aria-hidden /> {words.back}
    </Link>
  )
  if (reading.data !== undefined)
    return (
      <Loaded reading={reading} what={keys.one}>
        {(versioned) => <Shown key={key} versioned={versioned} crumb={crumb} />}
      </Loaded>
    )
  return (
    <Page title={keys.one} crumb={crumb}>
      <Loaded reading={reading} what={keys.one}>
        {() => null}
      </Loaded>
    </Page>
  )
}

function Shown({
  versioned,
  crumb,
}: {
  readonly versioned: VersionedKey
  readonly crumb: React.ReactNode
}) {
  const { may } = useOrganization()
  const now = useNow()
  const stored = versioned.value
  const state = stateOf(stored, now)
  const isGone = state === 'revoked' || state === 'ended'
  const [open, setOpen] = useState<'edit' | 'rotate' | 'revoke' | null>(null)
  const close = () => setOpen(null)
  const mayChange = may('keys:write') && !isGone
  const mayRotate = useMayRotate()
  const settings = (
    <KeySettings stored={stored} onEdit={mayChange ? () => setOpen('edit') : undefined} />
  )
  return (
    <Page
      title={stored.name}
      crumb={crumb}
      sub={<Standing stored={stored} state={state} />}
      actions={
        mayChange && (
          <>
            {mayRotate(stored) && (
              <Button onClick={() => setOpen('rotate')}>
                <RefreshCw size={16} aria-hidden /> {keyDialogs.rotate}
              </Button>
            )}
            <Button look="danger-quiet" onClick={() => setOpen('revoke')}>
              {keyDialogs.revoke}
            </Button>
          </>
        )
      }
    >
      <StateStrip stored={stored} state={state} now={now} />
      <Cards stored={stored} settings={settings} />
      {open === 'edit' && <EditKey versioned={versioned} onClose={close} />}
      {open === 'rotate' && <RotateKey stored={stored} onClose={close} />}
      {open === 'revoke' && <RevokeKey stored={stored} onClose={close} />}
    </Page>
  )
}

/** A key without use begins with its settings: there is nothing else to see yet. */
function Cards({ stored, settings }: { readonly stored: Key; readonly settings: ReactNode }) {
  const { may } = useOrganization()
  const audit = may('audit:read') && <KeyAudit stored={stored} />
  if (stored.last_used_at === null)
    return (
      <div className={`grid cols-main ${styles.unused}`}>
        <div className="stack gap-4">
          {settings}
          {audit}
        </div>
        <div className="stack gap-4">
          <KeyUsage stored={stored} />
          <KeyRefusals stored={stored} />
        </div>
      </div>
    )
  return (
    <>
      <div className="grid cols-main">
        <KeyUsage stored={stored} />
        {settings}
      </div>
      <div className="grid cols-main">
        <KeyRequests stored={stored} />
        <div className="stack gap-4">
          <KeyRefusals stored={stored} />
          {audit}
        </div>
      </div>
    </>
  )
}

function Standing({ stored, state }: { readonly stored: Key; readonly state: KeyState }) {
  const isGone = state === 'revoked' || state === 'ended'
  const label = {
    working: keys.working,
    ending: keys.working,
    ended: keys.endedTag,
    revoked: keys.revoked,
  }
  return (
    <span className={styles.standing}>
      <Dot tone={isGone ? 'off' : 'ok'} />
      {label[state]}
      <ShownKey shownAs={stored.shown_as} />
    </span>
  )
}

/** What is special about the key now, in one sentence. */
function StateStrip({
  stored,
  state,
  now,
}: {
  readonly stored: Key
  readonly state: KeyState
  readonly now: number
}) {
  const { slug } = useOrganization()
  const { revoked_at: revoked, expires_at: expires, replaced_by: next } = stored
  const sentence = () => {
    if (revoked !== null) return words.revokedStrip(formatInstant(revoked))
    if (next !== null && state !== 'ended' && expires !== null)
      return words.replacedStrip(formatInstant(expires))
    if (expires === null || state === 'working') return undefined
    if (state === 'ended') return words.endedStrip(formatInstant(expires))
    return words.endingStrip(formatSpan(Date.parse(expires) - now))
  }
  const text = sentence()
  if (text === undefined) return null
  const isGone = state === 'revoked' || state === 'ended'
  const Icon = isGone ? CircleSlash : Clock
  return (
    <div className={isGone ? 'strip' : 'strip warn'} role="status">
      <Icon size={16} aria-hidden />
      <span className="grow">
        {text} {stored.revoke_reason !== null && words.revokedReason(stored.revoke_reason)}
        {isGone && next !== null && ` ${words.replacedEnded}`}
      </span>
      {next !== null && (
        <Link className="btn sm" to="/o/$slug/keys/$key" params={{ slug, key: next }}>
          {words.openNew}
        </Link>
      )}
    </div>
  )
}
