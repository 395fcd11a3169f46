import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { Fault } from '../../api/fault.ts'
import { choosePasskey, HAS_PASSKEYS } from '../../api/passkeys.ts'
import type { SignedIn } from '../../api/routes.ts'

/** The server forgets a challenge after five minutes. */
const CHALLENGE_MS = 4 * 60_000

type Credential = NonNullable<Awaited<ReturnType<typeof choosePasskey>>>

/** Signs in with a passkey: by a button, and by the browser's autofill if wanted. */
export function usePasskey(
  onSignedIn: (answer: SignedIn) => void,
  { autofill = false }: { readonly autofill?: boolean } = {},
) {
  const [fault, setFault] = useState<Fault | null>(null)
  const [busy, setBusy] = useState(false)
  const [round, setRound] = useState(0)
  const offering = useRef<AbortController>(null)
  const use = useEffectEvent(async (credential: Credential | undefined) => {
    if (credential === undefined) return
    onSignedIn(await call('POST /sessions/passkey', { body: { credential } }))
  })
  useEffect(() => {
    if (!autofill || !HAS_PASSKEYS) return
    const stop = new AbortController()
    offering.current = stop
    // Nobody asked for it, so nobody is told that it failed.
    offerByAutofill(stop.signal)
      .then((credential) => (stop.signal.aborted ? undefined : use(credential)))
      .catch(() => {})
    return () => stop.abort()
  }, [autofill, round])
  const ask = async () => {
    // A browser answers one request at a time.
    offering.current?.abort()
    setBusy(true)
    setFault(null)
    try {
      const credential = await choosePasskey()
      // Signed in, so nothing is offered again: a second sign-in would run into the first.
      if (credential !== undefined)
        return onSignedIn(await call('POST /sessions/passkey', { body: { credential } }))
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      setFault(error)
    } finally {
      setBusy(false)
    }
    setRound((count) => count + 1)
  }
  return { fault, busy, ask: () => void ask() }
}

/** Until one is chosen or nobody waits any more, with a new challenge before each expires. */
async function offerByAutofill(stop: AbortSignal): Promise<Credential | undefined> {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable())) return undefined
  while (!stop.aborted) {
    const expired = AbortSignal.timeout(CHALLENGE_MS)
    const signal = AbortSignal.any([stop, expired])
    const credential = await choosePasskey({ byAutofill: true, signal })
    if (credential !== undefined || !expired.aborted) return credential
  }
  return undefined
}
