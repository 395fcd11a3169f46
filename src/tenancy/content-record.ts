import type { Content } from '../lib/content.ts'
import type { ContributorTerms, Retention } from './retention.ts'

export const KEPT_RETENTIONS = ['standard', 'contributor'] as const satisfies Retention[]

/** The kinds of retention under which anything is kept at all. */
export type KeptRetention = (typeof KEPT_RETENTIONS)[number]

/** A request and its answer, with all that says whose they are and why they may be kept. */
export type ContentRecord = {
  /** The id of the request, which begins with its time. */
  readonly id: string
  readonly organizationId: string
  readonly projectId: string
  readonly model: string
  readonly retention: KeptRetention
  /** The consent as it stood at the request; never null for a contribution. */
  readonly terms: ContributorTerms | null
  readonly content: Content
}
