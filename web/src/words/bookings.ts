/** What the service books by itself: why, for money that comes and for money that goes. */
export const bookings = {
  service: 'The service',
  reasons: {
    payment: { in: 'Paid in', out: 'Payment undone' },
    refund: { in: 'Refund undone', out: 'Paid back' },
    dispute: { in: 'Returned by the bank', out: 'Taken by the bank' },
    expiry: { in: 'Expiry undone', out: 'Expired' },
  },
} as const
