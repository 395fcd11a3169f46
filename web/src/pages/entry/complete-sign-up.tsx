import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useApi, useChange } from '../../api/use-api.ts'
import { Skeleton } from '../../parts/states.tsx'
import { entry } from '../../words/entry.ts'
import { ChoosePassword } from './choose-password.tsx'
import { Door, DoorNote } from './door.tsx'
import { dropToken } from './link-token.ts'

const words = entry.completeSignUp

/** Opened by the link of a letter: the account is created when the password is chosen. */
export function CompleteSignUp({ token }: { readonly token: string }) {
  const [state, setState] = useState<'begun' | 'done' | 'used'>('begun')
  const body = { token }
  const look = useApi('POST /sign-ups/look-up', { body }, { freshFor: Infinity })
  const complete = useChange('POST /sign-ups/complete')
  const choose = (password: string) =>
    complete.mutate(
      { body: { token, password } },
      {
        onSuccess: () => {
          dropToken('sign-up')
          setState('done')
        },
        onError: ({ param }) => {
          if (param === 'token') setState('used')
        },
      },
    )
  if (state === 'done')
    return (
      <Door title={words.done} sub={words.doneText}>
        <ToSignIn />
      </Door>
    )
  if (state === 'used' || look.error?.param === 'token')
    return (
      <Door title={words.used} sub={words.usedText}>
        <ToSignIn />
        <Link className="btn lg block" to="/sign-up" onClick={() => dropToken('sign-up')}>
          {entry.signUp.title}
        </Link>
      </Door>
    )
  if (look.data === undefined)
    return (
      <Door title={words.title}>
        {look.error === null ? <Skeleton /> : <DoorNote fault={look.error} />}
      </Door>
    )
  const { email } = look.data
  return (
    <Door title={words.title} sub={words.text(email)}>
      <ChoosePassword
        email={email}
        label={entry.password}
        submitText={words.submit}
        fault={complete.error}
        busy={complete.isPending}
        onChoose={choose}
      />
    </Door>
  )
}

function ToSignIn() {
  return (
    <Link className="btn primary lg block" to="/sign-in">
      {entry.signIn.title}
    </Link>
  )
}
