/** Who acts in the audit log when the provider's facts change something. */
export const PAYMENTS = { kind: 'system', id: null, label: 'payments' } as const
