import type { Config } from '../../config/load.ts'
import { readDevelopmentStack } from '../../start/dev/stack-file.ts'
import type { Result, Verdict } from './run-checks.ts'

/** What the development stack lacks, with the verdict that a real installation gets for it. */
const ACCEPTED: Readonly<Record<string, Verdict>> = {
  'postgresql durability': 'failed',
  'postgresql archiving': 'warning',
  'valkey persistence': 'warning',
  'valkey memory': 'warning',
  'valkey replicas': 'warning',
  'console public address': 'warning',
}

/** Turns what is accepted on the development stack, and only there, into notes. */
export function acceptDevelopment(config: Config, results: readonly Result[]): readonly Result[] {
  if (!isOnDevelopmentStack(config)) return results
  return results.map(({ hint, ...result }) => {
    if (ACCEPTED[`${result.group} ${result.check}`] !== result.verdict)
      return hint === undefined ? result : { ...result, hint }
    return { ...result, verdict: 'note', found: `${result.found} (development stack)` }
  })
}

/** Both stores are the servers that `npm run stack -- up` started for this clone. */
function isOnDevelopmentStack({ database_url: database, valkey_urls: urls }: Config): boolean {
  // The packages contain JavaScript, and there is no stack beside them.
  const stack = import.meta.url.endsWith('.ts') ? readDevelopmentStack() : undefined
  if (stack === undefined) return false
  const isSame = (one: string, other: string) => new URL(one).host === new URL(other).host
  return isSame(database, stack.postgres.url) && urls.every((url) => isSame(url, stack.valkey.url))
}
