import { Link } from '@tanstack/react-router'
import { Fingerprint } from 'lucide-react'
import { useState } from 'react'
import { HAS_PASSKEYS } from '../../api/passkeys.ts'
import { SIGN_UP } from '../../api/place.ts'
import type { FoundSso, SignedIn } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { Button } from '../../parts/button.tsx'
import { entry } from '../../words/entry.ts'
import { Door } from './door.tsx'
import { AddressField, DoorForm } from './door-form.tsx'
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
  const [missing, setMissing] = useState(false)
  const look = useChange('POST /sso/lookup')
  const passkey = usePasskey(onSignedIn, { autofill: true })
  const submit = () => {
    const given = email.trim()
    setMissing(!looksLikeEmail(given))
    if (looksLikeEmail(given))
      look.mutate({ body: { email: given } }, { onSuccess: (found) => onFound(given, found) })
  }
  return (
    <Door title={words.title} sub={words.to(location.hostname)}>
      <DoorForm
        asking={look}
        note={passkey.fault ?? note}
        submit={entry.continue}
        onSubmit={submit}
      >
        <AddressField
          passkeys
          email={email}
          isMissing={missing}
          fault={null}
          onChange={(text) => {
            setEmail(text)
            setMissing(false)
          }}
        />
      </DoorForm>
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
