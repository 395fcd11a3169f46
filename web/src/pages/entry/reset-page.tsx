import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { PasswordSet } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { Instant } from '../../parts/time.tsx'
import { Slots } from '../../parts/slots.tsx'
import { entry } from '../../words/entry.ts'
import { ChoosePassword } from './choose-password.tsx'
import { Door } from './door.tsx'
import { AddressField, DoorForm } from './door-form.tsx'
import { dropToken, takeToken } from './link-token.ts'
import { looksLikeEmail } from './looks-like-email.ts'
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
  const submit = () => {
    setMissing(!looksLikeEmail(email.trim()))
    if (looksLikeEmail(email.trim())) ask.mutate({ body: { email: email.trim() } })
  }
  if (ask.isSuccess)
    return (
      <Door title={words.sentTitle} sub={words.sent(email.trim())}>
        <BackToSignIn />
      </Door>
    )
  return (
    <Door title={words.title} sub={words.ask}>
      <DoorForm asking={ask} note={note} fields={['email']} submit={words.submit} onSubmit={submit}>
        <AddressField email={email} isMissing={missing} fault={ask.error} onChange={setEmail} />
      </DoorForm>
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
        asking={set}
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
