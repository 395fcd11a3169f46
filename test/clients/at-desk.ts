/** The runner passes the desk's address to every test file. */
const deskUrl = process.argv[2]
if (deskUrl === undefined) throw new Error('run `npm test`: it starts the service and the desk')

async function ask<Answer>(path: string, method = 'POST'): Promise<Answer> {
  const response = await fetch(`${deskUrl}${path}`, { method })
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()) as Answer
}

export const { apiRoot } = await ask<{ apiRoot: string }>('/', 'GET')

/** `unreachable` has no use for API keys; the limits of the others are in `plans.ts`. */
export type PlanName = 'ample' | 'unreachable' | 'few-per-minute' | 'one-per-day'

/** The key of a new organization, so that no test shares its limits with another. */
export async function createKey(plan: PlanName = 'ample'): Promise<string> {
  const { key } = await ask<{ key: string }>(`/callers/${plan}`)
  return key
}

/** A token limit by which the engine's slots show whether a request is still being worked on. */
export async function takeTokenLimit(): Promise<number> {
  const { tokenLimit } = await ask<{ tokenLimit: number }>('/token-limits')
  return tokenLimit
}

export async function findGeneration(
  tokenLimit: number,
): Promise<{ busy: boolean; tokens: number }> {
  return ask(`/generations/${tokenLimit}`, 'GET')
}
