import { Link } from '@tanstack/react-router'
import { useState, type SubmitEvent } from 'react'
import { useChange } from '../../api/use-api.ts'
import { Button } from '../../parts/button.tsx'
import { errorAt, TextField } from '../../parts/field.tsx'
import { PasswordField } from '../../parts/password-field.tsx'
import { entry } from '../../words/entry.ts'
import { everywhere } from '../../words/everywhere.ts'
import { Door, DoorNote } from './door.tsx'
import { dropToken, takeToken } from './link-token.ts'
import { looksLikeEmail } from './looks-like-email.ts'
import { useWait } from './use-wait.ts'

const words = entry.reset

/** Asks for a link or, opened by one, sets the new password. */
export function ResetPage() {
  const [token, setToken] = useState(() => takeToken('reset'))
  const [state, setState] = useState<'begun' | 'set' | 'used'>('begun')
  const finish = (next: 'set' | 'used') => {
    dropToken('reset')
    setToken(undefined)
    setState(next)
  }
  if (state === 'set')
    return (
      <Door title={words.done} sub={words.doneText}>
        <Link className="btn primary lg block" to="/sign-in">
          {entry.signIn.title}
        </Link>
      </Door>
    )
  if (token === undefined) return <AskForLink note={state === 'used' ? words.used : null} />
  return <NewPassword token={token} onFinish={finish} />
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
      <form className="door-fields" onSubmit={submit} noValidate>
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
  readonly onFinish: (how: 'set' | 'used') => void
}) {
  const [password, setPassword] = useState('')
  const set = useChange('POST /password-resets/complete')
  const wait = useWait(set.error)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (set.isPending || wait > 0) return
    set.mutate(
      { body: { token, password } },
      {
        onSuccess: () => onFinish('set'),
        onError: ({ param }) => {
          if (param === 'token') onFinish('used')
        },
      },
    )
  }
  return (
    <Door title={words.title} sub={words.choose}>
      <form className="door-fields" onSubmit={submit} noValidate>
        <DoorNote fault={set.error?.param === 'password' ? null : set.error} />
        <PasswordField
          large
          label={entry.newPassword}
          name="password"
          autoComplete="new-password"
          autoFocus
          hint={entry.passwordHint}
          value={password}
          error={errorAt(set.error, 'password')}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Button type="submit" look="primary" size="lg" block busy={set.isPending || wait > 0}>
          {wait > 0 ? everywhere.waitSeconds(wait) : words.set}
        </Button>
      </form>
    </Door>
  )
}

function BackToSignIn() {
  return (
    <p className="ink-3 center">
      <Link className="link" to="/sign-in">
        {words.back}
      </Link>
    </p>
  )
}
