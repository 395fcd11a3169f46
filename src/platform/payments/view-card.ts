import type { SavedCard } from '../../contract/payments/payment.ts'
import type { SavedCard as StoredCard } from '../../store/payments/provider-customers.ts'

/** What its owner recognizes a card by. */
export function viewCard(card: StoredCard | null): SavedCard | null {
  if (card === null) return null
  const { brand, lastFour, expiresMonth, expiresYear } = card
  return {
    brand,
    last_four: lastFour,
    expires_month: expiresMonth,
    expires_year: expiresYear,
  }
}
