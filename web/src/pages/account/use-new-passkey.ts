import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Fault } from '../../api/fault.ts'
import { makePasskey } from '../../api/passkeys.ts'
import { account } from '../../words/account.ts'

/** Makes a passkey in the browser and adds it to the account. */
export function useNewPasskey(onMade: (name: string) => void) {
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState<Fault | string | null>(null)
  const make = async (name: string) => {
    setBusy(true)
    setFault(null)
    try {
      const credential = await makePasskey()
      if (credential === undefined) return setFault(account.security.passkeyRefused)
      await call('POST /me/passkeys', { body: { name, credential } })
      onMade(name)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      setFault(error)
    } finally {
      setBusy(false)
    }
  }
  return { busy, fault, make: (name: string) => void make(name) }
}
