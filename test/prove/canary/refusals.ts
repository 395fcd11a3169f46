import { connectValkey } from '../../harness/servers/valkey.ts'
import type { Form } from './forms.ts'
import { scanText, type Hit } from './scan.ts'

/** The lists of refused requests, which organizations can read. */
export async function scanRefusals(
  url: string,
  forms: readonly Form[],
): Promise<{ readonly refusals: number; readonly hits: Hit[] }> {
  await using valkey = await connectValkey([url])
  const keys = (await valkey.call('KEYS', ['*:refused:*'])) as string[]
  const hits: Hit[] = []
  let refusals = 0
  for (const key of keys) {
    const entries = (await valkey.call('XRANGE', [key, '-', '+'])) as [string, string[]][]
    refusals += entries.length
    hits.push(...scanText(key, JSON.stringify(entries), forms))
  }
  return { refusals, hits }
}
