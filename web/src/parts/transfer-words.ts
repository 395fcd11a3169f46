import type { Transfer } from '../api/routes.ts'
import { UNKNOWN } from '../format/unknown.ts'
import { bookings as words } from '../words/bookings.ts'

/** The service books these by itself, with a reason for programs. People wrote the others. */
const AUTOMATIC = ['payment', 'refund', 'dispute', 'expiry', 'invoice'] as const

function automaticKind({ kind }: Pick<Transfer, 'kind'>): (typeof AUTOMATIC)[number] | undefined {
  return AUTOMATIC.find((each) => each === kind)
}

/** Why money was booked. A voucher is redeemed by a person, who gives no reason. */
export function reasonOf(transfer: Pick<Transfer, 'kind' | 'reason' | 'amount'>): string {
  const kind = transfer.kind === 'voucher' ? transfer.kind : automaticKind(transfer)
  if (kind === undefined) return transfer.reason ?? UNKNOWN
  return words.reasons[kind][transfer.amount.amount_micro < 0 ? 'out' : 'in']
}

/** Who booked it. */
export function bookedBy(transfer: Pick<Transfer, 'kind' | 'made_by'>): string {
  return automaticKind(transfer) === undefined ? (transfer.made_by ?? UNKNOWN) : words.service
}
