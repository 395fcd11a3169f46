export const RETENTIONS = ['zero', 'standard', 'contributor'] as const

/** What happens to the content of an organization's requests once they are answered. */
export type Retention = (typeof RETENTIONS)[number]

/** The consent without which nothing may be kept as a contribution. */
export type ContributorTerms = {
  readonly version: string
  readonly acceptedAt: Date
  readonly acceptedBy: string
}

/**
 * When in doubt nothing is kept: a contribution without its consent is treated as `zero`, and so
 * is everything where the operator has no key to encrypt it with.
 */
export function retentionInForce(
  retention: Retention,
  terms: ContributorTerms | null,
  keepsContent: boolean,
): Retention {
  if (!keepsContent) return 'zero'
  return retention === 'contributor' && terms === null ? 'zero' : retention
}
