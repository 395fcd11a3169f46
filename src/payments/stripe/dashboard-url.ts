const DASHBOARD = 'https://dashboard.stripe.com'

/** Parts of the dashboard by the beginning of an id: those that show a payment with all of it. */
const PARTS: Readonly<Record<string, string>> = { pi: 'payments', in: 'invoices' }

type Account = { readonly ref: string; readonly live: boolean }

/** Where people with access to the account see an object; null if it has no page of its own. */
export function dashboardUrl({ ref: account, live }: Account, ref: string): string | null {
  const part = PARTS[ref.split('_')[0] ?? '']
  if (part === undefined) return null
  const path = [account, ...(live ? [] : ['test']), part, ref].map(encodeURIComponent)
  return [DASHBOARD, ...path].join('/')
}
