import type { ContributorTerms, Retention } from './retention.ts'

/** Why a record is not given out as a contribution. */
export const REFUSALS = [
  'no_consent',
  'consent_later_than_request',
  'withdrawn',
  'other_terms',
  'other_acceptance',
] as const

export type Refusal = (typeof REFUSALS)[number]

/** What an organization agrees to at the moment. */
export type Consent = {
  readonly retention: Retention
  readonly terms: ContributorTerms | null
}

/**
 * Whether a record may be given out for training: only under the very acceptance that stood when
 * the request was made, and only as long as it stands. An organization that left and came back
 * has agreed to what it sends since, not to what it sent before.
 */
export function refusalOf(
  record: { readonly requestedAtMs: number; readonly terms: ContributorTerms | null },
  consent: Consent,
): Refusal | undefined {
  const { terms } = record
  if (terms === null) return 'no_consent'
  if (terms.acceptedAt.getTime() > record.requestedAtMs) return 'consent_later_than_request'
  if (consent.retention !== 'contributor' || consent.terms === null) return 'withdrawn'
  if (terms.version !== consent.terms.version) return 'other_terms'
  const same =
    terms.acceptedAt.getTime() === consent.terms.acceptedAt.getTime() &&
    terms.acceptedBy === consent.terms.acceptedBy
  return same ? undefined : 'other_acceptance'
}
