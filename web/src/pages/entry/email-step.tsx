import { Link } from '@tanstack/react-router'
import { Fingerprint } from 'lucide-react'
import { useState, type SubmitEvent } from 'react'
import { HAS_PASSKEYS } from '../../api/passkeys.ts'
import { SIGN_UP } from '../../api/place.ts'
import type { FoundSso, SignedIn } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { Button } from '../../parts/button.tsx'
import { TextField } from '../../parts/field.tsx'
import { entry } from '../../words/entry.ts'
import { Door, DoorNote } from './door.tsx'
import { looksLikeEmail } from './looks-like-email.ts'
import { invitedAddress } from './link-token.ts'
import { usePasskey } from './use-passkey.ts'
import { useReturn } from './use-signed-in.ts'
import styles from './entry.module.css'

const words = entry.signIn

/** The address comes first: its domain decides how to go on. */
export function EmailStep({
  note,
  onFound,
  onSignedIn,
}: {
  readonly note: string | null
  readonly onFound: (email: string, found: FoundSso) => void
  readonly onSignedIn: (answer: SignedIn) => void
}) {
  const [email, setEmail] = useState(invitedAddress)
  const [error, setError] = useState<string>()
  const look = useChange('POST /sso/lookup')
  const passkey = usePasskey(onSignedIn, { autofill: true })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (look.isPending) return
    const given = email.trim()
    if (!looksLikeEmail(given)) return setError(entry.emailNeeded)
    look.mutate({ body: { email: given } }, { onSuccess: (found) => onFound(given, found) })
  }
  return (
    <Door title={words.title} sub={words.to(location.hostname)}>
      <DoorNote fault={look.error ?? passkey.fault ?? note} />
      <form className={styles.doorFields} onSubmit={submit} noValidate>
        <TextField
          large
          label={entry.email}
          type="email"
          name="email"
          autoComplete="username webauthn"
          autoFocus
          value={email}
          error={error}
          onChange={(event) => {
            setEmail(event.currentTarget.value)
            setError(undefined)
          }}
        />
        <Button type="submit" look="primary" size="lg" block busy={look.isPending}>
          {entry.continue}
        </Button>
      </form>
      {HAS_PASSKEYS && (
        <>
          <div className={styles.or}>
            <span>{entry.or}</span>
          </div>
          <Button size="lg" block busy={passkey.busy} onClick={passkey.ask}>
            <Fingerprint size={16} aria-hidden /> {words.passkey}
          </Button>
        </>
      )}
      <SignUpHint />
    </Door>
  )
}

function SignUpHint() {
  const to = useReturn()
  if (SIGN_UP === 'closed' && invitedAddress() === '') return null
  return (
    <p className={`ink-3 ${styles.center}`}>
      {words.noAccount}{' '}
      <Link className="link" to="/sign-up" search={to === undefined ? {} : { to }}>
        {words.signUp}
      </Link>
      .{SIGN_UP === 'waiting' && ` ${words.approved}`}
    </p>
  )
}
