import type { Language } from '../contract/language.ts'
import type { AccountState } from './identity.ts'
import type { PlatformRole } from './role.ts'

/** The account of whoever acts. */
export type ActingAccount = {
  readonly id: string
  readonly email: string
  readonly name: string | null
  readonly state: AccountState
  readonly registered: boolean
  readonly platformRole: PlatformRole | null
  /** Null if the person has chosen none. */
  readonly language: Language | null
}

export type ActingSession = {
  readonly id: string
  readonly createdAt: Date
  readonly endsAt: Date
  /** When the person last proved who they are. */
  readonly confirmedAt: Date
  /** password, passkey, totp, recovery_code, link or sso:<connection> */
  readonly methods: readonly string[]
  /** The second factor is missing: nothing but giving it is allowed. */
  readonly incomplete: boolean
}

/** The HTTP request that an actor made; null for the command line and for jobs. */
export type ActorRequest = {
  readonly id: string
  /** Of the client; absent if it is not known. */
  readonly address?: string | undefined
  /** A repeated request with the same key has no further effect. */
  readonly idempotency: {
    readonly key: string
    readonly route: string
    readonly bodyHash: Buffer
  } | null
}

/** Who acts. Nobody can act as somebody else. */
export type Actor =
  | { readonly kind: 'nobody'; readonly request: ActorRequest | null }
  | {
      readonly kind: 'person'
      readonly account: ActingAccount
      readonly session: ActingSession
      readonly request: ActorRequest | null
    }
  | {
      readonly kind: 'management_key'
      readonly id: string
      readonly name: string
      /** Null for a key of the platform. */
      readonly organizationId: string | null
      readonly scopes: readonly string[]
      /** The key works only as long as its creator has the right. */
      readonly creator: ActingAccount
      readonly request: ActorRequest | null
    }
  /** The identity provider of an organization, with a SCIM token. */
  | {
      readonly kind: 'scim_token'
      readonly id: string
      readonly name: string
      readonly organizationId: string
      readonly request: ActorRequest | null
    }
  /** Somebody with a shell on a machine of the service. */
  | { readonly kind: 'operator_shell'; readonly name: string; readonly request: null }
  /** The service itself: a job, or what it does for somebody whom it need not know. */
  | { readonly kind: 'system'; readonly name: string; readonly request: ActorRequest | null }
