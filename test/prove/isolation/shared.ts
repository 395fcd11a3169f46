import { startEnvironment } from '../../harness/environment.ts'
import { startRealEngine } from '../../harness/engines/real-engine.ts'
import type { ProofRun } from '../../harness/proof.ts'
import { createSecret, openTenant, sendPrompt } from './guess.ts'
import { CACHED_ENGINES } from './takeovers.ts'

const PROCESSES = 4

/**
 * Several processes use the same engine, and none of them knows what the others put into its slots:
 * nothing is reused, not even one's own prompts.
 */
export async function proveShared(run: ProofRun, takeovers: number) {
  await using engine = await startRealEngine(1)
  const engines = [{ name: 'one', url: engine.url, slots: 1, model_name: 'pebble' }]
  const models = [{ id: CACHED_ENGINES.one, engines: ['one'], context_length: 4_096 }]
  await using environment = await startEnvironment({ engines, models })
  const apis = await environment.startApis(PROCESSES)
  await using lines = new AsyncDisposableStack()
  const openTenants = async () => {
    const { key } = await environment.openCaller()
    const tenants = apis.map(({ apiRoot }) => openTenant(apiRoot, key, CACHED_ENGINES.one))
    for (const { line } of tenants) lines.use(line)
    return () => run.random.pick(tenants)
  }
  const [keeper, guesser] = [await openTenants(), await openTenants()]
  let cachedMax = 0
  for (let done = 0; done < takeovers; done += 2) {
    const secret = createSecret(run.random)
    const guessed = run.random.chance(0.5) ? secret : createSecret(run.random)
    for (const [tenant, text] of [
      [keeper(), secret],
      [guesser(), guessed],
      [guesser(), guessed],
    ] as const)
      cachedMax = Math.max(cachedMax, (await sendPrompt(tenant, text)).cachedTokens)
  }
  if (cachedMax > 0) run.fail(`${PROCESSES} processes: ${cachedMax} tokens were cached`)
  return { cachedMax }
}
