import { organizationKeys } from '../../../src/store/valkey/keys.ts'
import type { Environment } from '../../harness/environment.ts'
import type { HeadraceProcess } from '../../harness/processes/process.ts'
import { readOpen } from '../../harness/seed/stored-limits.ts'
import type { Caller } from '../../harness/seed/tenants.ts'

/** The process, and the generations that run on engines. */
type Left = { readonly api: HeadraceProcess; readonly running: () => number }

/** Everything that a request occupies while it runs and that is still occupied, as text. */
export async function findLeft(
  environment: Environment,
  { api, running }: Left,
  callers: readonly Caller[],
): Promise<string> {
  const left: Record<string, number> = {
    slots: await api.metric('headrace_slots_in_use'),
    body_bytes: await api.metric('headrace_body_bytes'),
    generations: running(),
  }
  for (const { organizationId } of callers) {
    const { length: open } = await readOpen(environment.valkey, organizationId)
    left['records'] = (left['records'] ?? 0) + open
    const { funds } = organizationKeys(organizationId)
    const reserved = await environment.valkey.call('HGET', [funds, 'reserved'])
    left['reserved'] = (left['reserved'] ?? 0) + Number(reserved ?? 0)
  }
  const found = Object.entries(left).filter(([, count]) => count !== 0)
  return found.map(([name, count]) => `${name}=${count}`).join(' ')
}
