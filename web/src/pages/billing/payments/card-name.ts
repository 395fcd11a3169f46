import type { SavedCard } from '../../../api/routes.ts'

/** Names of companies, which are the same in every language. */
const BRANDS: Readonly<Record<string, string>> = {
  amex: 'American Express',
  cartes_bancaires: 'Cartes Bancaires',
  diners: 'Diners Club',
  discover: 'Discover',
  eftpos_au: 'eftpos',
  jcb: 'JCB',
  mastercard: 'Mastercard',
  unionpay: 'UnionPay',
  visa: 'Visa',
}

/** A brand that has no name here is shown as the provider says it. */
export function brandOf({ brand }: Pick<SavedCard, 'brand'>): string {
  return Object.hasOwn(BRANDS, brand) ? BRANDS[brand]! : brand
}

/** "09/2032", as it stands on the card. */
export function expiryOf(card: Pick<SavedCard, 'expires_month' | 'expires_year'>): string {
  return `${String(card.expires_month).padStart(2, '0')}/${card.expires_year}`
}

/** A card can be used until the end of its month. */
export function isExpired(
  card: Pick<SavedCard, 'expires_month' | 'expires_year'>,
  now: number,
): boolean {
  return now >= Date.UTC(card.expires_year, card.expires_month)
}
