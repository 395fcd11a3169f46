import { useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { call } from '../../api/call.ts'
import { Fault } from '../../api/fault.ts'
import type { FoundSso, SignedIn } from '../../api/routes.ts'
import { onOtherTab } from '../../shell/tabs-of-browser.ts'
import { entry } from '../../words/entry.ts'
import { Door } from './door.tsx'
import { EmailStep } from './email-step.tsx'
import { FactorStep } from './factor-step.tsx'
import { dropToken, takeToken } from './link-token.ts'
import { OtherSession } from './other-session.tsx'
import { PasswordStep } from './password-step.tsx'
import { useAttempt } from './use-attempt.ts'
import { useSignedIn } from './use-signed-in.ts'

type Step =
  | { readonly kind: 'email' }
  | { readonly kind: 'password'; readonly email: string; readonly found: FoundSso }
  | { readonly kind: 'factor' }
  | { readonly kind: 'enrol' }

const EnrolStep = lazy(() =>
  import('./enrol-step.tsx').then((module) => ({ default: module.EnrolStep })),
)

const FIRST: Step = { kind: 'email' }

export function SignInPage() {
  const { sso_error: ssoError, step: begun } = useSearch({ from: '/sign-in' })
  const [step, setStep] = useState<Step>(FIRST)
  const signedIn = useSignedIn()
  const goOn = ({ second_factor: factor }: SignedIn) => {
    if (factor === 'complete') void signedIn()
    else setStep({ kind: factor === 'enrol' ? 'enrol' : 'factor' })
  }
  const link = useLink(goOn)
  const pending = usePendingFactor(begun === 'factor')
  useEffect(() => onOtherTab('signed-in', () => void signedIn('told')), [signedIn])
  if (link.working || pending.working) return <Door title={entry.signIn.linkWorks} />
  const kind = step.kind === 'email' ? (pending.value ?? 'email') : step.kind
  const restart = () => setStep(FIRST)
  if (kind === 'factor') return <FactorStep onSignedIn={goOn} onRestart={restart} />
  if (kind === 'enrol')
    return (
      <Suspense>
        <EnrolStep onDone={() => void signedIn()} />
      </Suspense>
    )
  if (step.kind === 'password')
    return <PasswordStep {...step} onSignedIn={goOn} onRestart={restart} />
  const note = ssoError === undefined ? null : entry.ssoErrors[ssoError]
  const form = (
    <EmailStep
      note={link.fault === undefined ? note : linkNote(link.fault)}
      onFound={(email, found) => setStep({ kind: 'password', email, found })}
      onSignedIn={goOn}
    />
  )
  return ssoError === 'other_session' ? <OtherSession otherwise={form} /> : form
}

/** A used link has words of its own; a restricted account or an outage says so itself. */
function linkNote(fault: Fault): string {
  return fault.code === 'invalid_value' ? entry.signIn.linkUsed : fault.message
}

/** The link that `npm run dev` prints: it signs in once. */
function useLink(onSignedIn: (answer: SignedIn) => void) {
  const [token] = useState(() => takeToken('sign-in'))
  return useAttempt(
    token === undefined
      ? undefined
      : async () => {
          dropToken('sign-in')
          onSignedIn(await call('POST /sessions/link', { body: { token } }))
        },
  )
}

/**
 * After a sign-in at an identity provider the page does not know what is missing. Only an account
 * without a second factor may begin with one, so the attempt tells.
 */
function usePendingFactor(begun: boolean) {
  return useAttempt(
    begun
      ? () =>
          call('POST /me/passkeys/options', {}).then(
            () => 'enrol' as const,
            (error: unknown) =>
              error instanceof Fault && error.code === 'second_factor_required'
                ? ('factor' as const)
                : ('email' as const),
          )
      : undefined,
  )
}
