/** An engine as a source names it. */
export type Endpoint = {
  readonly url: string
  /** Undefined if those of its group apply. */
  readonly slots?: number
}

/** What a source tells while it runs. */
export type Reporter = {
  /** All engines that there are now. */
  readonly found: (endpoints: readonly Endpoint[]) => void
  /** The source cannot be read; the reason quotes nothing from it. */
  readonly failed: (reason: string) => void
}

/** Reads a source until the signal aborts, and tells what it finds. Never rejects. */
export type Source = (reporter: Reporter, signal: AbortSignal) => Promise<void>

/** A group with more engines than this is taken for a mistake, and its last known set is kept. */
export const ENDPOINTS_MAX = 1_000

/** The source was read, but does not say what it should. */
export class UnreadableSource extends Error {
  override readonly name = 'UnreadableSource'
}

/** Why a source cannot be read: a code of the system, or our own sentence. */
export function reasonOf(error: unknown): string {
  if (error instanceof UnreadableSource) return error.message
  return (error as NodeJS.ErrnoException).code ?? 'unreadable'
}
