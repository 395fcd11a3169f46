type Asked = {
  readonly kind: 'page' | 'card' | 'invoice'
  /** Without tax, in micro-units. */
  readonly net: number
  readonly saveCard: boolean
}

type OurMetadata = Asked & { readonly paymentId: string; readonly organizationId: string }

type Metadata = Readonly<Record<string, string>>

/**
 * What objects at Stripe say of their payment: all that its row was made of, so that it can be
 * written anew when our tables were restored to an earlier time.
 */
export function metadataOf(
  { id, organizationId }: { readonly id: string; readonly organizationId: string },
  { kind, net, saveCard }: Asked,
): Metadata {
  return {
    payment_id: id,
    organization_id: organizationId,
    kind,
    net_micro: String(net),
    ...(saveCard && { save_card: 'true' }),
  }
}

/** Null if it is not complete: the object belongs to another product of the account. */
export function readMetadata(metadata: Metadata | null | undefined): OurMetadata | null {
  const { payment_id: paymentId, organization_id: organizationId, kind } = metadata ?? {}
  const net = metadata?.['net_micro'] ?? ''
  if (paymentId === undefined || organizationId === undefined) return null
  if (kind !== 'page' && kind !== 'card' && kind !== 'invoice') return null
  if (!/^[1-9]\d{0,14}$/.test(net)) return null
  const saveCard = metadata?.['save_card'] === 'true'
  return { paymentId, organizationId, kind, net: Number(net), saveCard }
}
