import { modelOn, type Environment } from '../../harness/environment.ts'
import { exchange } from '../../harness/clients/usage-client.ts'
import { requestOf } from '../../harness/fake-engine/counting.ts'
import { openFundedCaller } from '../../harness/load/metered.ts'
import { openManagementKey, openPerson } from '../../harness/processes/console.ts'
import type { HeadraceProcess } from '../../harness/processes/process.ts'
import { openKey } from '../../harness/seed/tenants.ts'

const CLIENTS = 4
const WORK = { cached: 0, tokens: 3, reasoning: 0, calls: false, everyMs: 1 }

/** What clients of the service have got so far. */
export type Counts = {
  /** Generations that arrived whole, and pages of usage. */
  readonly complete: number
  readonly pages: number
  /** What came instead of an answer. */
  readonly failed: readonly string[]
}

type Service = {
  readonly environment: Environment
  readonly engine: string
  /** More may be added while clients work. */
  readonly apis: readonly HeadraceProcess[]
  readonly console: HeadraceProcess
}

/**
 * Sends generations, each with a new key that no process has cached, and reads usage, until it is
 * stopped.
 */
export async function startWork(
  service: Service,
): Promise<{ readonly counts: Counts; stop(): Promise<void> }> {
  const { environment, engine, apis } = service
  const { database, pool } = environment.postgres
  const { projectId, organizationId } = await openFundedCaller(environment)
  // The sum of the month is read for a project with a limit only.
  await pool.query('update projects set spending_limit = 900000000000000')
  const { accountId } = await openPerson(environment.postgres, { organizationId, role: 'owner' })
  const facts = { createdBy: accountId, organizationId, scopes: ['usage:read', 'requests:read'] }
  const headers = await openManagementKey(environment.postgres, facts)
  const stopping = new AbortController()
  const counts = { complete: 0, pages: 0, failed: [] as string[] }
  let sent = 0
  const generate = async () => {
    while (!stopping.signal.aborted) {
      const { text: key } = await openKey(database, projectId)
      const prompt = (sent += 1)
      const { apiRoot } = apis[prompt % apis.length]!
      const request = requestOf(modelOn(engine), { ...WORK, prompt }, true)
      const { complete, status } = await exchange({ apiRoot, key }, request)
      if (complete) counts.complete += 1
      else counts.failed.push(`generation ${prompt} got ${status}`)
    }
  }
  const read = async () => {
    const root = `${service.console.apiRoot}/organizations/${organizationId}`
    while (!stopping.signal.aborted)
      for (const page of ['usage?by=day&by=model', 'requests?outcome=failed']) {
        const { status } = await fetch(`${root}/${page}`, { headers })
        if (status === 200) counts.pages += 1
        else counts.failed.push(`${page} got ${status}`)
      }
  }
  const running = [...Array.from({ length: CLIENTS }, generate), read()]
  return {
    counts,
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}
