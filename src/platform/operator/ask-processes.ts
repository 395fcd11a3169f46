import type { Static, TSchema } from 'typebox'
import { Check } from 'typebox/schema'
import { forEachLimited } from '../../lib/for-each-limited.ts'
import { isObject } from '../../lib/is-object.ts'

/** Processes asked at the same time. */
const CONCURRENT_MAX = 32
const PROCESS_TIMEOUT_MS = 2_000
/** Processes that were not asked by then are reported as unreachable. */
const TOTAL_TIMEOUT_MS = 5_000
const ANSWER_BYTES_MAX = 262_144

export type ProcessAnswer<Answer> = {
  readonly url: string
  readonly reachable: boolean
  /** Null if the process does not serve this path, or not in this form: another version may. */
  readonly answer: Answer | null
}

/** Asks the health ports of processes for the same path, in bounded time and memory. */
export async function askProcesses<Schema extends TSchema>(
  urls: readonly string[],
  path: '/status' | '/engines',
  schema: Schema,
): Promise<ProcessAnswer<Static<Schema>>[]> {
  const total = AbortSignal.timeout(TOTAL_TIMEOUT_MS)
  const answers = new Map<string, ProcessAnswer<Static<Schema>>>()
  await forEachLimited(CONCURRENT_MAX, urls, async (url) => {
    const signal = AbortSignal.any([total, AbortSignal.timeout(PROCESS_TIMEOUT_MS)])
    try {
      const value = await readJson(`${url.endsWith('/') ? url.slice(0, -1) : url}${path}`, signal)
      const answer = isObject(value) && Check(schema, value) ? value : null
      answers.set(url, { url, reachable: true, answer })
    } catch {
      answers.set(url, { url, reachable: false, answer: null })
    }
  })
  return urls.map((url) => answers.get(url) ?? { url, reachable: false, answer: null })
}

/** Throws if the process cannot be reached; undefined if what it sends is no JSON. */
async function readJson(url: string, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(url, { signal, redirect: 'error' })
  const chunks: Uint8Array[] = []
  let bytes = 0
  const body: AsyncIterable<Uint8Array> | null = response.body
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > ANSWER_BYTES_MAX) return undefined
    chunks.push(chunk)
  }
  if (!response.ok) return undefined
  try {
    return JSON.parse(Buffer.concat(chunks).toString())
  } catch {
    return undefined
  }
}
