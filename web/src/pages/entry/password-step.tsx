import { Link, useNavigate } from '@tanstack/react-router'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import type { FoundSso, SignedIn } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { Button } from '../../parts/button.tsx'
import { errorAt } from '../../parts/field.tsx'
import { PasswordField } from '../../parts/password-field.tsx'
import { useProvider } from '../../shell/use-provider.ts'
import { entry } from '../../words/entry.ts'
import { Door, DoorNote } from './door.tsx'
import { DoorForm } from './door-form.tsx'
import { useReturn } from './use-signed-in.ts'
import { StoredAddress } from './stored-address.tsx'
import styles from './entry.module.css'

const words = entry.signIn

/** The ways that the domain of the address leaves: its identity provider, a password, or both. */
export function PasswordStep({
  email,
  found: { connections, sso_only: ssoOnly },
  onSignedIn,
  onRestart,
}: {
  readonly email: string
  readonly found: FoundSso
  readonly onSignedIn: (answer: SignedIn) => void
  readonly onRestart: () => void
}) {
  const to = useReturn()
  const provider = useProvider()
  const hasSso = connections.length > 0
  return (
    <Door title={words.title} sub={<WhoSignsIn email={email} onRestart={onRestart} />}>
      <DoorNote fault={provider.fault} />
      {connections.map(({ id, name }, index) => (
        <Button
          key={id}
          look={index === 0 ? 'primary' : 'plain'}
          size="lg"
          block
          busy={provider.busy}
          onClick={() => provider.goTo(id, to === undefined ? {} : { to })}
        >
          <KeyRound size={16} aria-hidden /> {words.sso(name)}
        </Button>
      ))}
      {ssoOnly ? (
        <p className="ink-3">{words.ssoOnly}</p>
      ) : (
        <>
          {hasSso && (
            <div className={styles.or}>
              <span>{entry.or}</span>
            </div>
          )}
          <PasswordForm email={email} quiet={hasSso} onSignedIn={onSignedIn} />
        </>
      )}
    </Door>
  )
}

function WhoSignsIn({
  email,
  onRestart,
}: {
  readonly email: string
  readonly onRestart: () => void
}) {
  return (
    <span className={styles.who}>
      <span className="cut">{email}</span>{' '}
      <button type="button" className="link" onClick={onRestart}>
        {words.change}
      </button>
    </span>
  )
}

function PasswordForm({
  email,
  quiet,
  onSignedIn,
}: {
  readonly email: string
  /** The identity provider's button is the primary one. */
  readonly quiet: boolean
  readonly onSignedIn: (answer: SignedIn) => void
}) {
  const [password, setPassword] = useState('')
  const navigate = useNavigate()
  const signIn = useChange('POST /sessions')
  const submit = () =>
    signIn.mutate(
      { body: { email, password } },
      {
        onSuccess: onSignedIn,
        onError: ({ code }) => {
          if (code === 'account_restricted') void navigate({ to: '/restricted' })
        },
      },
    )
  return (
    <>
      <DoorForm
        asking={signIn}
        fields={['password']}
        submit={words.submit}
        quiet={quiet}
        onSubmit={submit}
      >
        <StoredAddress email={email} />
        <PasswordField
          large
          label={entry.password}
          name="password"
          autoComplete="current-password"
          autoFocus
          value={password}
          error={errorAt(signIn.error, 'password')}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
      </DoorForm>
      <p className={`ink-3 ${styles.center}`}>
        <Link className="link" to="/reset">
          {words.forgot}
        </Link>
      </p>
    </>
  )
}
