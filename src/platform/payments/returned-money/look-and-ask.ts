import { ProviderError, type ProviderFailure } from '../../../payments/provider-error.ts'

/** Failures after which it makes no sense to repeat the request. */
const REFUSALS: ReadonlySet<ProviderFailure> = new Set([
  'refused',
  'declined',
  'not_found',
  'key_changed',
])

/** Something that the provider makes once, whoever asks for it and how often. */
type Wanted = {
  readonly find: () => Promise<string | null>
  readonly make: () => Promise<{ readonly ref: string }>
}

export type Asked = { readonly ref: string } | { readonly refused: string }

/**
 * Asks the provider for something that it may have made already: whoever asked before may have got
 * no answer, and the provider may have forgotten the key. Without an answer it throws.
 */
export async function lookAndAsk({ find: findNow, make }: Wanted): Promise<Asked> {
  const find = async () =>
    findNow().catch((error: unknown) => {
      // Of a payment or an invoice that it does not know there is neither.
      if (error instanceof ProviderError && error.failure === 'not_found') return null
      throw error
    })
  const made = await find()
  if (made !== null) return { ref: made }
  try {
    return await make()
  } catch (error) {
    if (!(error instanceof ProviderError) || !REFUSALS.has(error.failure)) throw error
    // It may be refused because somebody else has made it meanwhile.
    const ref = await find()
    return ref === null ? { refused: error.code ?? error.failure } : { ref }
  }
}
