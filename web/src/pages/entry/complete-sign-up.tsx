import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { SignedIn } from '../../api/routes.ts'
import { useApi, useChange } from '../../api/use-api.ts'
import { Skeleton } from '../../parts/states.tsx'
import { forgetEverything } from '../../shell/session.ts'
import { tellOtherTabs } from '../../shell/tabs-of-browser.ts'
import { entry } from '../../words/entry.ts'
import { ChoosePassword } from './choose-password.tsx'
import { Door, DoorNote } from './door.tsx'
import { dropToken, takeToken } from './link-token.ts'

const words = entry.completeSignUp

/** Opened by the link of an email: choosing the password creates the account and signs in. */
export function CompleteSignUp({ token }: { readonly token: string }) {
  const [isUsed, setIsUsed] = useState(false)
  const body = { token }
  const look = useApi('POST /sign-ups/look-up', { body }, { freshFor: Infinity })
  const complete = useChange('POST /sign-ups/complete')
  const goOn = useGoOn()
  const choose = (password: string) =>
    complete.mutate(
      { body: { token, password } },
      {
        onSuccess: goOn,
        onError: ({ param }) => {
          if (param === 'token') setIsUsed(true)
        },
      },
    )
  if (complete.isSuccess) return <Door title={words.done} />
  if (isUsed || look.error?.param === 'token')
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
        asking={complete}
        onChoose={choose}
      />
    </Door>
  )
}

/** To the invitation that the link holds, or into the console. */
function useGoOn() {
  const queries = useQueryClient()
  const navigate = useNavigate()
  return ({ second_factor: factor }: SignedIn) => {
    dropToken('sign-up')
    forgetEverything(queries)
    const to = takeToken('join') === undefined ? '/' : '/join'
    if (factor !== 'complete')
      return void navigate({ to: '/sign-in', search: { step: 'factor', to } })
    tellOtherTabs('signed-in')
    void navigate({ to })
  }
}

function ToSignIn() {
  const search = takeToken('join') === undefined ? {} : { to: '/join' }
  return (
    <Link className="btn primary lg block" to="/sign-in" search={search}>
      {entry.signIn.title}
    </Link>
  )
}
