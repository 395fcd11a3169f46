import {
  createSigningKey,
  issuePlaygroundCredential,
  PLAYGROUND_LIFE_MS_MAX,
  playgroundRealm,
} from '../../../src/tenancy/playground-credential.ts'
import { SIGNING_KEY } from '../processes/service.ts'

export const REALM = playgroundRealm({ key_prefix: 'headrace', path_segment: 'compat' })
export const SIGNING_KEYS = [createSigningKey(SIGNING_KEY)]

type Bearer = {
  readonly organizationId: string
  readonly projectId: string
  readonly accountId: string
}

/** A credential as the playground issues it to itself, or a defective one. */
export function issuePlayground(
  { organizationId, projectId, accountId }: Bearer,
  options: {
    readonly expired?: boolean
    readonly signingKey?: string
    readonly audience?: string
  } = {},
): string {
  const nowMs = options.expired === true ? Date.now() - PLAYGROUND_LIFE_MS_MAX : Date.now()
  const lifeMs = options.expired === true ? PLAYGROUND_LIFE_MS_MAX - 1_000 : PLAYGROUND_LIFE_MS_MAX
  const claims = {
    id: crypto.randomUUID(),
    organizationId,
    projectId,
    accountId,
    expiresAt: new Date(nowMs + lifeMs),
  }
  const realm = { ...REALM, ...(options.audience ? { audience: options.audience } : {}) }
  const key = createSigningKey(options.signingKey ?? SIGNING_KEY)
  return issuePlaygroundCredential(claims, realm, key, nowMs)
}
