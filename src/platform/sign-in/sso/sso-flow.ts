import { timingSafeEqual } from 'node:crypto'
import { MINUTE_MS } from '../../../lib/time.ts'
import { storeChallenge, takeChallenge } from '../../../store/sign-in/challenges.ts'
import type { Environment } from '../../use-case/environment.ts'
import type { OidcFlow } from '../identity/oidc.ts'
import { createToken, hashToken } from '../identity/token.ts'
import { sealerFor } from '../../use-case/sealers.ts'

/** How long a person has at the provider. */
export const SSO_FLOW_MS = 10 * MINUTE_MS

/** What a sign-in must remember while the person is at the provider. */
export type SsoFlow = {
  readonly oidc: OidcFlow
  readonly connectionId: string
  /** Where to go afterwards. */
  readonly to: string
  /** The session to confirm; null for a sign-in. */
  readonly confirms: string | null
}

type Stored = SsoFlow & { readonly browser: string }

/** Returns the value of the cookie that binds the flow to this browser. */
export async function rememberFlow(
  { database, settings }: Environment,
  flow: SsoFlow,
): Promise<string> {
  const { token, hash: browser } = createToken()
  const hash = hashToken(flow.oidc.state)
  const stored: Stored = { ...flow, browser: browser.toString('base64url') }
  const plain = Buffer.from(JSON.stringify(stored))
  const data = sealerFor(settings, 'challenge').seal(plain, hash.toString('hex'))
  await storeChallenge(database, { hash, kind: 'sso', accountId: null, data, lifeMs: SSO_FLOW_MS })
  return token
}

/** The flow of a state, once, and only for the browser that began it. */
export async function takeFlow(
  { database, settings }: Environment,
  state: string,
  cookie: string,
): Promise<SsoFlow | undefined> {
  const hash = hashToken(state)
  const data = await takeChallenge(database, { hash, kind: 'sso', accountId: null })
  if (data === undefined) return undefined
  const opened = sealerFor(settings, 'challenge').open(data, hash.toString('hex'))
  const { browser, ...flow } = JSON.parse(opened.toString()) as Stored
  return timingSafeEqual(hashToken(cookie), Buffer.from(browser, 'base64url')) ? flow : undefined
}
