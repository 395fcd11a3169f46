import { apiRoot } from './control-client.ts'

/** More than any plan of this suite admits in a row. */
const REQUESTS_MAX = 100

/** Sends requests until the organization has reached a limit, so that the next one is rejected. */
export async function exhaustLimit(key: string): Promise<void> {
  for (let count = 0; count < REQUESTS_MAX; count += 1) {
    const headers = { authorization: `Bearer ${key}` }
    const response = await fetch(`${apiRoot}/models`, { headers })
    await response.text()
    if (response.status === 429) return
  }
  throw new Error('the limit was never reached')
}
