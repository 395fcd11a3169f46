import type { ContributorTerms, Retention } from './retention.ts'

/** Why a record is not exported as a contribution. */
export const REFUSALS = [
  'no_consent',
  'consent_later_than_request',
  'withdrawn',
  'other_terms',
  'other_acceptance',
] as const

export type Refusal = (typeof REFUSALS)[number]

/** The organization's current consent. */
export type Consent = {
  readonly retention: Retention
  readonly terms: ContributorTerms | null
}

/**
 * Whether a record may be exported for training: only if the acceptance at the time of the request
 * is still in force. An organization that withdrew and accepted again has consented to later
 * requests only, not to earlier ones.
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
