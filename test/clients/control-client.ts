/** The runner passes the URL of the control server to every test file. */
const controlUrl = process.argv[2]
if (controlUrl === undefined)
  throw new Error('run `npm test`: it starts the service and the control server')

async function call<Answer>(path: string, method = 'POST'): Promise<Answer> {
  const response = await fetch(`${controlUrl}${path}`, { method })
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()) as Answer
}

export const { apiRoot } = await call<{ apiRoot: string }>('/', 'GET')

/** `no-api-keys` does not allow API keys; `plans.ts` has the limits of the others. */
export type PlanName = 'ample' | 'no-api-keys' | 'few-per-minute' | 'one-per-day'

/** The key of a new organization, so that no test shares its limits with another. */
export async function createKey(plan: PlanName = 'ample'): Promise<string> {
  const { key } = await call<{ key: string }>(`/callers/${plan}`)
  return key
}

/** A unique token limit, which identifies the request in the engine's slots. */
export async function takeTokenLimit(): Promise<number> {
  const { tokenLimit } = await call<{ tokenLimit: number }>('/token-limits')
  return tokenLimit
}

export async function findGeneration(
  tokenLimit: number,
): Promise<{ busy: boolean; tokens: number }> {
  return call(`/generations/${tokenLimit}`, 'GET')
}
