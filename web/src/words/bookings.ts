/** What the service books by itself: why, for money that comes and for money that goes. */
export const bookings = {
  service: 'The service',
  reasons: {
    payment: { in: 'Paid in', out: 'Payment undone' },
    refund: { in: 'Refund undone', out: 'Paid back' },
    dispute: { in: 'Returned by the bank', out: 'Taken by the bank' },
    invoice: { in: 'Invoiced', out: 'Invoice void' },
    expiry: { in: 'Expiry undone', out: 'Expired' },
    voucher: { in: 'Voucher redeemed', out: 'Voucher taken back' },
  },
} as const
