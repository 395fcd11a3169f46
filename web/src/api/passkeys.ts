import { call } from './call.ts'
import type { Confirmation } from './routes.ts'

type Credential = NonNullable<Confirmation['credential']>

/** Only browsers that read the options of the API from JSON, which all have since 2025. */
export const HAS_PASSKEYS =
  typeof PublicKeyCredential !== 'undefined' &&
  typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function'

/**
 * Lets the person choose a passkey. `byAutofill`: the browser offers them below a field with
 * `autocomplete="webauthn"` and waits, until the signal aborts. Undefined if none was chosen.
 */
export async function choosePasskey({
  byAutofill,
  signal,
}: { readonly byAutofill?: boolean; readonly signal?: AbortSignal } = {}): Promise<
  Credential | undefined
> {
  const options = await call('POST /sessions/passkey/options', {})
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const chosen = await navigator.credentials
    .get({
      publicKey,
      ...(byAutofill === true && { mediation: 'conditional' }),
      ...(signal !== undefined && { signal }),
    })
    .catch(ignoreRefusal)
  return chosen === null ? undefined : jsonOf(chosen)
}

/** Makes a passkey on this device. Undefined if the person did not want to. */
export async function makePasskey(): Promise<Credential | undefined> {
  const options = await call('POST /me/passkeys/options', {})
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as never)
  const made = await navigator.credentials.create({ publicKey }).catch(ignoreRefusal)
  return made === null ? undefined : jsonOf(made)
}

/** Closing the browser's dialog is a DOMException; so is a passkey that exists already. */
function ignoreRefusal(error: unknown): null {
  if (error instanceof DOMException) return null
  throw error
}

function jsonOf(credential: globalThis.Credential): Credential {
  return (credential as PublicKeyCredential).toJSON()
}
