import { ProviderError, type ProviderFailure } from '../../../payments/provider-error.ts'

/** Failures after which it makes no sense to repeat the request. */
const REFUSALS: ReadonlySet<ProviderFailure> = new Set([
  'refused',
  'declined',
  'not_found',
  'key_changed',
])

/** Keys that one call spends at most: while the provider fails, more would fail as well. */
const SPENT_MAX = 3

/** Something that the provider makes once, whoever asks for it and how often. */
type Wanted = {
  readonly find: () => Promise<string | null>
  /** Asks for it, with a key that has the number of the attempt. */
  readonly make: (attempt: number) => Promise<{ readonly ref: string }>
  /** The first number to ask with. */
  readonly attempt: number
  /** Stores that the provider repeats a failure under this key: later calls begin after it. */
  readonly spendKey: () => Promise<void>
}

export type Asked = { readonly ref: string } | { readonly refused: string }

/**
 * Asks the provider for something that it may have made already: whoever asked before may have got
 * no answer, and the provider may have forgotten the key. Without an answer it throws.
 */
export async function lookAndAsk({
  find: findNow,
  make,
  attempt,
  spendKey,
}: Wanted): Promise<Asked> {
  const find = async () =>
    findNow().catch((error: unknown) => {
      // Of a payment or an invoice that it does not know there is neither.
      if (error instanceof ProviderError && error.failure === 'not_found') return null
      throw error
    })
  for (let spent = 0; ;) {
    const found = await find()
    if (found !== null) return { ref: found }
    try {
      return await make(attempt + spent)
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      if (error.failure === 'key_spent') {
        await spendKey()
        spent += 1
        // The request with this key is over, so whatever it has made is found.
        if (spent < SPENT_MAX) continue
      }
      if (!REFUSALS.has(error.failure)) throw error
      // It may be refused because somebody else has made it meanwhile.
      const ref = await find()
      return ref === null ? { refused: error.code ?? error.failure } : { ref }
    }
  }
}
