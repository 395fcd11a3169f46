import { Link } from '@tanstack/react-router'
import { useState, type SubmitEvent } from 'react'
import type { PasswordSet } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { Button } from '../../parts/button.tsx'
import { errorAt, TextField } from '../../parts/field.tsx'
import { Instant } from '../../parts/time.tsx'
import { Slots } from '../../parts/slots.tsx'
import { entry } from '../../words/entry.ts'
import { everywhere } from '../../words/everywhere.ts'
import { ChoosePassword } from './choose-password.tsx'
import { Door, DoorNote } from './door.tsx'
import { dropToken, takeToken } from './link-token.ts'
import { looksLikeEmail } from './looks-like-email.ts'
import { useWait } from './use-wait.ts'
import styles from './entry.module.css'

const words = entry.reset

/** Asks for a link or, opened by one, sets the new password. */
export function ResetPage() {
  const [token, setToken] = useState(() => takeToken('reset'))
  const [state, setState] = useState<PasswordSet | 'begun' | 'used'>('begun')
  const finish = (next: PasswordSet | 'used') => {
    dropToken('reset')
    setToken(undefined)
    setState(next)
  }
  if (typeof state === 'object') return <Done left={state} />
  if (token === undefined) return <AskForLink note={state === 'used' ? words.used : null} />
  return <NewPassword token={token} onFinish={finish} />
}

/** Says what else can still sign in: somebody else may have added it. */
function Done({ left: { passkeys, has_totp: hasApp, removed } }: { readonly left: PasswordSet }) {
  const hasLeft = passkeys.length > 0 || hasApp
  return (
    <Door title={words.done} sub={words.doneText}>
      {removed && <p>{words.removed}</p>}
      {hasLeft && (
        <div>
          <p>{words.left}</p>
          <ul className={styles.doorList} aria-label={words.leftLabel}>
            {passkeys.map(({ id, name, created_at: since }) => (
              <li key={id}>
                <Slots text={words.passkey} parts={{ name, time: <Instant time={since} /> }} />
              </li>
            ))}
            {hasApp && <li>{words.app}</li>}
          </ul>
        </div>
      )}
      <Link className="btn primary lg block" to="/sign-in">
        {entry.signIn.title}
      </Link>
      {hasLeft && (
        <Link className="btn lg block" to="/sign-in" search={{ to: '/account/security' }}>
          {words.look}
        </Link>
      )}
    </Door>
  )
}

function AskForLink({ note }: { readonly note: string | null }) {
  const [email, setEmail] = useState('')
  const [missing, setMissing] = useState(false)
  const ask = useChange('POST /password-resets')
  const wait = useWait(ask.error)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setMissing(!looksLikeEmail(email.trim()))
    if (!ask.isPending && wait === 0 && looksLikeEmail(email.trim()))
      ask.mutate({ body: { email: email.trim() } })
  }
  if (ask.isSuccess)
    return (
      <Door title={words.sentTitle} sub={words.sent(email.trim())}>
        <BackToSignIn />
      </Door>
    )
  return (
    <Door title={words.title} sub={words.ask}>
      <form className={styles.doorFields} onSubmit={submit} noValidate>
        <DoorNote fault={ask.error?.param === 'email' ? null : (ask.error ?? note)} />
        <TextField
          large
          label={entry.email}
          type="email"
          name="email"
          autoComplete="username"
          autoFocus
          value={email}
          error={missing ? entry.emailNeeded : errorAt(ask.error, 'email')}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <Button type="submit" look="primary" size="lg" block busy={ask.isPending || wait > 0}>
          {wait > 0 ? everywhere.waitSeconds(wait) : words.submit}
        </Button>
      </form>
      <BackToSignIn />
    </Door>
  )
}

function NewPassword({
  token,
  onFinish,
}: {
  readonly token: string
  readonly onFinish: (how: PasswordSet | 'used') => void
}) {
  const set = useChange('POST /password-resets/complete')
  const choose = (password: string) =>
    set.mutate(
      { body: { token, password } },
      {
        onSuccess: onFinish,
        onError: ({ param }) => {
          if (param === 'token') onFinish('used')
        },
      },
    )
  return (
    <Door title={words.title} sub={words.choose}>
      <ChoosePassword
        label={entry.newPassword}
        submitText={words.set}
        fault={set.error}
        busy={set.isPending}
        onChoose={choose}
      />
    </Door>
  )
}

function BackToSignIn() {
  return (
    <p className={`ink-3 ${styles.center}`}>
      <Link className="link" to="/sign-in">
        {words.back}
      </Link>
    </p>
  )
}
