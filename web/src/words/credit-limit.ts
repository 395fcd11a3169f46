export const creditLimit = {
  line: 'Credit limit',
  none: 'None',
  used: (limit: string, used: string) => `${limit}, ${used} used`,
  set: 'Set credit limit',
  title: (name: string) => `Credit limit of ${name}`,
  text:
    'The most it may owe while its plan is postpaid: unpaid invoices, usage not billed yet, and ' +
    'what running requests may cost. Beyond that, requests get 402.',
  amount: 'Limit',
  amountHint: 'Leave empty for no limit. 0 refuses every request that costs something.',
  reason: 'Reason',
  reasonHint: 'For the audit log, which the organization’s owners, admins and viewers can read.',
  saved: (name: string) => `The credit limit of ${name} applies from the next request on.`,
} as const
