import { call } from '../../../api/call.ts'

/** A credential is renewed this long before it ends, so that no request meets its end. */
const RENEW_BEFORE_MS = 30_000

export type CredentialPlace = { readonly organization: string; readonly project: string }

type Held = { readonly credential: string; readonly endsAt: number; readonly of: string }

/** In memory only, and only the last one. It is in no storage, no address and no snippet. */
let held: Held | undefined

/** The credential of a project, renewed if it ends soon or if `renew` says that it was refused. */
export async function credentialFor(path: CredentialPlace, renew = false): Promise<string> {
  const of = `${path.organization}/${path.project}`
  if (!renew && held?.of === of && held.endsAt - Date.now() > RENEW_BEFORE_MS)
    return held.credential
  const { credential, expires_at } = await call(
    'POST /organizations/{organization}/projects/{project}/playground-credentials',
    { path },
  )
  held = { credential, of, endsAt: Date.parse(expires_at) }
  return credential
}
