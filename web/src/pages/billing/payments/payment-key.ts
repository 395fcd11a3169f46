/** What somebody asks to pay. */
export type Wanted = { readonly amount: string; readonly save_card: boolean }

type Kept = Wanted & { readonly key: string }

/** The part of the browser's storage that is used. */
export type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

const nameOf = (slug: string) => `headrace-payment-${slug}`

/**
 * The key that makes one payment of all that is sent for it: a second press, another try after an
 * answer that was lost, and the same dialog after a reload. Another amount has another key.
 */
export function keyOf(slug: string, wanted: Wanted, store: Store = sessionStorage): string {
  const kept = readKept(slug, store)
  if (kept !== null && isSame(kept, wanted)) return kept.key
  const key = crypto.randomUUID()
  const { amount, save_card } = wanted
  store.setItem(nameOf(slug), JSON.stringify({ key, amount, save_card } satisfies Kept))
  return key
}

/** The payment is over: the next one is another one, also of the same amount. */
export function forgetKey(slug: string, store: Store = sessionStorage): void {
  store.removeItem(nameOf(slug))
}

function readKept(slug: string, store: Store): Kept | null {
  try {
    return JSON.parse(store.getItem(nameOf(slug)) ?? 'null') as Kept | null
  } catch {
    return null
  }
}

function isSame(kept: Kept, { amount, save_card }: Wanted): boolean {
  return kept.amount === amount && kept.save_card === save_card
}
