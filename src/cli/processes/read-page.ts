/** Histograms of many models are long. */
const PAGE_BYTES_MAX = 8 * 2 ** 20
const PAGE_TIMEOUT_MS = 1_000

export type Page = { readonly status: number; readonly text: string }

/** Reads a page of a process's health port; undefined if nothing answers there in time. */
export async function readPage(
  url: string,
  path: string,
  timeoutMs: number = PAGE_TIMEOUT_MS,
): Promise<Page | undefined> {
  const page = await askForPage(url, path, timeoutMs)
  return page === 'late' ? undefined : page
}

/** The same, but `late` if there is no answer in time. */
export async function askForPage(
  url: string,
  path: string,
  timeoutMs: number,
): Promise<Page | 'late' | undefined> {
  const signal = AbortSignal.timeout(Math.ceil(timeoutMs))
  try {
    const address = `${url.replace(/\/$/, '')}${path}`
    const response = await fetch(address, { signal, redirect: 'error' })
    const body: AsyncIterable<Uint8Array> | null = response.body
    const chunks: Uint8Array[] = []
    let length = 0
    for await (const chunk of body ?? []) {
      length += chunk.length
      if (length > PAGE_BYTES_MAX) break
      chunks.push(chunk)
    }
    return { status: response.status, text: Buffer.concat(chunks).toString() }
  } catch {
    return signal.aborted ? 'late' : undefined
  }
}

/** The same as JSON; undefined if it is none. */
export async function readJsonPage(
  url: string,
  path: string,
  timeoutMs: number = PAGE_TIMEOUT_MS,
): Promise<unknown> {
  return readJson(await readPage(url, path, timeoutMs))
}

/** Undefined unless it is a page of status 200 with JSON. */
export function readJson(page: Page | undefined): unknown {
  if (page?.status !== 200) return undefined
  try {
    return JSON.parse(page.text) as unknown
  } catch {
    return undefined
  }
}
