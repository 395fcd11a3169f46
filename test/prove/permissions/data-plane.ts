import { uuidV7 } from '../../../src/lib/uuid.ts'
import { openManagementKey, openPerson } from '../../harness/processes/console.ts'
import type { ProofRun } from '../../harness/proof.ts'
import { startService } from '../../harness/processes/service.ts'

/** Management keys and sessions never work on the data plane. Returns how many were refused. */
export async function tryDataPlane(run: ProofRun): Promise<number> {
  await using service = await startService()
  const { organizationId } = await service.createCaller()
  const owner = await openPerson(service.postgres, { organizationId, role: 'owner' })
  const facts = { createdBy: owner.accountId, scopes: ['keys:write', 'platform:write'] }
  const callers = [
    await openManagementKey(service.postgres, { ...facts, organizationId }),
    await openManagementKey(service.postgres, { ...facts, organizationId: null }),
    owner.as,
  ]
  const paths = ['/models', '/chat/completions', `/usage/${uuidV7()}`]
  let refused = 0
  for (const as of callers)
    for (const path of paths) {
      const post = path === '/chat/completions'
      const response = await fetch(`${service.apiRoot}${path}`, {
        method: post ? 'POST' : 'GET',
        headers: { ...as, 'content-type': 'application/json' },
        ...(post && { body: JSON.stringify({ model: 'demo', messages: [] }) }),
      })
      const { status } = response
      await response.text()
      refused += status === 401 ? 1 : 0
      if (status !== 401) run.fail(`the data plane answered ${status} to ${Object.keys(as).join()}`)
    }
  return refused
}
