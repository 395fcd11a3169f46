import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { SENDS_MAIL, SIGN_UP } from '../../api/place.ts'
import { useChange } from '../../api/use-api.ts'
import { Button } from '../../parts/button.tsx'
import { errorAt } from '../../parts/field.tsx'
import { PasswordField } from '../../parts/password-field.tsx'
import { CHOSEN_LANGUAGE } from '../../shell/language.ts'
import { entry } from '../../words/entry.ts'
import { CompleteSignUp } from './complete-sign-up.tsx'
import { Door } from './door.tsx'
import { AddressField, DoorForm } from './door-form.tsx'
import { looksLikeEmail } from './looks-like-email.ts'
import { invitedAddress, takeToken } from './link-token.ts'
import { useReturn } from './use-signed-in.ts'
import styles from './entry.module.css'

const words = entry.signUp

/** Asks for an account or, opened by the link of an email, creates it. */
export function SignUpPage() {
  const [token, setToken] = useState(() => takeToken('sign-up'))
  // The link may be opened in the tab that asked for it, which changes only the hash.
  useEffect(() => {
    const read = () => setToken(takeToken('sign-up'))
    addEventListener('hashchange', read)
    return () => removeEventListener('hashchange', read)
  }, [])
  return token === undefined ? <AskForAccount /> : <CompleteSignUp key={token} token={token} />
}

function AskForAccount() {
  const [sentTo, setSentTo] = useState<string>()
  const [typed, setTyped] = useState(invitedAddress)
  const invited = invitedAddress() !== ''
  if (SIGN_UP === 'closed' && !invited)
    return (
      <Door title={words.closedTitle} sub={words.closed}>
        <ToSignIn />
      </Door>
    )
  if (sentTo !== undefined && !SENDS_MAIL)
    return (
      <Door title={words.madeTitle} sub={words.made(sentTo)}>
        <ToSignIn />
      </Door>
    )
  if (sentTo !== undefined)
    return (
      <Door title={words.sentTitle} sub={words.sent(sentTo)}>
        {invited && <p>{words.sentInvited}</p>}
        <p className="ink-3">{words.sentLost}</p>
        <Button size="lg" block onClick={() => setSentTo(undefined)}>
          {words.otherAddress}
        </Button>
        <ToSignIn />
      </Door>
    )
  return (
    <Door title={words.title} sub={whatFollows(SIGN_UP === 'waiting')}>
      <SignUpForm email={typed} onChange={setTyped} onSent={setSentTo} />
      <ToSignIn />
    </Door>
  )
}

/** The email leads back to it. Without email it shows that the person was invited. */
function invitation(): { readonly invitation?: string } {
  const token = takeToken('join')
  return token === undefined ? {} : { invitation: token }
}

function whatFollows(waits: boolean): string {
  if (SENDS_MAIL) return waits ? words.byMailWaiting : words.byMail
  return waits ? words.hereWaiting : words.here
}

function ToSignIn() {
  const to = useReturn()
  return (
    <p className={`ink-3 ${styles.center}`}>
      {words.haveAccount}{' '}
      <Link className="link" to="/sign-in" search={to === undefined ? {} : { to }}>
        {words.signIn}
      </Link>
    </p>
  )
}

function SignUpForm({
  email,
  onChange,
  onSent,
}: {
  readonly email: string
  readonly onChange: (email: string) => void
  readonly onSent: (email: string) => void
}) {
  const [password, setPassword] = useState('')
  const [missing, setMissing] = useState(false)
  const ask = useChange('POST /sign-ups')
  const submit = () => {
    const given = email.trim()
    setMissing(!looksLikeEmail(given))
    if (looksLikeEmail(given))
      ask.mutate(
        {
          body: {
            email: given,
            ...(SENDS_MAIL ? {} : { password }),
            ...invitation(),
            ...CHOSEN_LANGUAGE,
          },
        },
        { onSuccess: () => onSent(given) },
      )
  }
  return (
    <DoorForm asking={ask} fields={['email', 'password']} submit={words.submit} onSubmit={submit}>
      <AddressField email={email} isMissing={missing} fault={ask.error} onChange={onChange} />
      {!SENDS_MAIL && (
        <PasswordField
          large
          label={entry.password}
          name="password"
          autoComplete="new-password"
          hint={entry.passwordHint}
          value={password}
          error={errorAt(ask.error, 'password')}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
      )}
    </DoorForm>
  )
}
