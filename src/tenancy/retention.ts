export const RETENTIONS = ['zero', 'standard', 'contributor'] as const

/** What happens to the content of an organization's requests after the response. */
export type Retention = (typeof RETENTIONS)[number]

/** The consent that `contributor` retention requires. */
export type ContributorTerms = {
  readonly version: string
  readonly acceptedAt: Date
  readonly acceptedBy: string
}

/**
 * Contributor retention without consent is treated as `zero`, and so is every retention if the
 * operator has configured no key to encrypt content.
 */
export function retentionInForce(
  retention: Retention,
  terms: ContributorTerms | null,
  keepsContent: boolean,
): Retention {
  if (!keepsContent) return 'zero'
  return retention === 'contributor' && terms === null ? 'zero' : retention
}
