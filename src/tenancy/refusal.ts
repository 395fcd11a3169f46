import type { CheckedLimit } from '../contract/error.ts'
import type { CredentialKind } from './plan.ts'

/** A request that was refused after its credential was recognised. Contains no text of a client. */
export type Refusal = {
  /** Of the request. */
  readonly id: string
  readonly organizationId: string
  readonly projectId: string
  /** Of a playground credential: its account, as in usage records. */
  readonly credentialId: string
  readonly credentialKind: CredentialKind
  readonly accountId: string | null
  readonly status: number
  /** The name of the error. */
  readonly code: string
  /** A parameter of our interface, or null. */
  readonly param: string | null
  /** A model that is served, or null. */
  readonly model: string | null
  /** The limits that the request exceeded. */
  readonly limits: readonly string[]
  /** What it needed of each limit and what was left; absent in those of an earlier release. */
  readonly checked?: readonly CheckedLimit[]
  readonly retryAfterMs: number | null
}
