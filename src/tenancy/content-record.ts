import type { Content } from '../lib/content.ts'
import type { ContributorTerms, Retention } from './retention.ts'

export const KEPT_RETENTIONS = ['standard', 'contributor'] as const satisfies Retention[]

/** The kinds of retention under which content is stored. */
export type KeptRetention = (typeof KEPT_RETENTIONS)[number]

/** A request and its reply, with their owner and the permission to store them. */
export type ContentRecord = {
  /** The id of the request, which starts with its time. */
  readonly id: string
  readonly organizationId: string
  readonly projectId: string
  readonly model: string
  readonly retention: KeptRetention
  /** The consent at the time of the request; never null for `contributor`. */
  readonly terms: ContributorTerms | null
  readonly content: Content
}
