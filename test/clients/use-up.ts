import { apiRoot } from './at-desk.ts'

/** More than any plan of this suite admits at once. */
const REQUESTS_MAX = 100

/** Asks until the key's organization has reached a limit, so that the next request is refused. */
export async function useUp(key: string): Promise<void> {
  for (let count = 0; count < REQUESTS_MAX; count += 1) {
    const headers = { authorization: `Bearer ${key}` }
    const response = await fetch(`${apiRoot}/models`, { headers })
    await response.text()
    if (response.status === 429) return
  }
  throw new Error('the limit was never reached')
}
