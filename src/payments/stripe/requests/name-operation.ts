/** Every request that we send, without ids. A new one is counted only if it stands here. */
export const OPERATIONS = [
  'GET account',
  'GET balance',
  'GET balance_transactions',
  'POST billing_portal/sessions',
  'GET checkout/sessions',
  'POST checkout/sessions',
  'GET checkout/sessions/{id}',
  'POST checkout/sessions/{id}/expire',
  'GET credit_notes',
  'POST credit_notes',
  'POST customers',
  'GET customers/{id}',
  'POST customers/{id}',
  'GET disputes',
  'GET disputes/{id}',
  'GET events',
  'POST invoiceitems',
  'GET invoices',
  'POST invoices',
  'GET invoices/{id}',
  'DELETE invoices/{id}',
  'POST invoices/{id}/finalize',
  'POST invoices/{id}/mark_uncollectible',
  'POST invoices/{id}/pay',
  'POST invoices/{id}/void',
  'GET payment_intents/{id}',
  'POST payment_intents/{id}',
  'GET radar/early_fraud_warnings/{id}',
  'GET refunds',
  'POST refunds',
  'GET refunds/{id}',
  'GET tax/settings',
] as const

const WORDS = new Set(OPERATIONS.flatMap((name) => name.replace(/^\S+ /, '').split('/')))
const NAMES: ReadonlySet<string> = new Set(OPERATIONS)

/** The name of a request for counting; never an id, and none that is not in the list. */
export function nameOperation(method: string, path: string): string {
  const parts = path.replace(/^\/v1\//, '').split('/')
  const name = `${method} ${parts.map((part) => (WORDS.has(part) ? part : '{id}')).join('/')}`
  return NAMES.has(name) ? name : 'other'
}
