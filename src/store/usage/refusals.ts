import { forEachLimited } from '../../lib/for-each-limited.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { Refusal } from '../../tenancy/refusal.ts'
import { organizationKeys } from '../valkey/keys.ts'
import { readScript, scriptCaller } from '../valkey/scripts.ts'
import type { Valkey } from '../valkey/valkey.ts'

const REFUSE_SCRIPT = readScript(import.meta.url, 'refuse.lua')

/** Entries of an organization, about 300 bytes each; the oldest are dropped. */
export const KEPT_MAX = 1_000
export const KEEP_MS = 7 * DAY_MS

const FLUSH_INTERVAL_MS = 1_000

/** Of one organization between two flushes; further refusals are only counted. */
const NOTED_MAX = 50

/** Organizations between two flushes; refusals of further ones are not noted. */
const ORGANIZATIONS_MAX = 1_000

const CALLS_AT_ONCE = 16

type Noted = { readonly texts: string[]; more: number }

/** Notes refused requests, off the request path. Losing some of them is acceptable. */
export type RefusalLog = AsyncDisposable & {
  /** Never waits, never throws. */
  note(refusal: Refusal): void
  /** Writes what was noted. What cannot be written is lost. */
  flush(): Promise<void>
}

export function openRefusals(
  valkey: Pick<Valkey, 'call'>,
  options: { readonly flushIntervalMs?: number; readonly organizationsMax?: number } = {},
): RefusalLog {
  const { flushIntervalMs = FLUSH_INTERVAL_MS, organizationsMax = ORGANIZATIONS_MAX } = options
  const refuse = scriptCaller(valkey, REFUSE_SCRIPT)
  let notedOf = new Map<string, Noted>()
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> = Promise.resolve()

  async function write(): Promise<void> {
    const batch = notedOf
    notedOf = new Map()
    await forEachLimited(CALLS_AT_ONCE, batch, async ([organizationId, { texts, more }]) => {
      const { refused } = organizationKeys(organizationId)
      const args = [KEPT_MAX, KEEP_MS, more, ...texts]
      await refuse({ keys: [refused], args }).catch(() => undefined)
    })
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    // One at a time: flushes must not pile up on a slow server.
    flushing = flushing.then(write)
    return flushing
  }

  return {
    note(refusal) {
      let noted = notedOf.get(refusal.organizationId)
      if (noted === undefined) {
        if (notedOf.size >= organizationsMax) return
        noted = { texts: [], more: 0 }
        notedOf.set(refusal.organizationId, noted)
      }
      if (noted.texts.length >= NOTED_MAX) noted.more += 1
      else noted.texts.push(JSON.stringify(refusal))
      timer ??= setTimeout(() => void flush(), flushIntervalMs).unref()
    },
    flush,
    async [Symbol.asyncDispose]() {
      await flush()
    },
  }
}
