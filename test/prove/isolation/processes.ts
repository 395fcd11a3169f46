import type { Environment } from '../../harness/environment.ts'
import type { HeadraceProcess } from '../../harness/process.ts'
import type { ProofRun } from '../../harness/proof.ts'
import { createSecret, openTenant, sendPrompt, type Tenant } from './guess.ts'
import { judge, waitForOwn } from './takeovers.ts'

const SHARED_ROUNDS = 10

type Keys = readonly [keeper: string, guesser: string]

/**
 * A second process joins and leaves, by a signal or killed, while organizations go on sending
 * through both. A secret sent through one process is never cached for another organization of
 * either; in the end the first one reuses caches again.
 */
export async function proveProcesses(
  run: ProofRun,
  environment: Environment,
  first: HeadraceProcess,
  model: string,
  [keeper, guesser]: Keys,
): Promise<number> {
  let guesses = 0
  const through = (api: HeadraceProcess, key: string) => openTenant(api.apiRoot, key, model)
  const tenants: Tenant[] = [through(first, keeper), through(first, guesser)]
  const [firstKeeper, firstGuesser] = tenants as [Tenant, Tenant]
  const guess = async (from: Tenant, to: Tenant): Promise<void> => {
    const secret = createSecret(run.random)
    // The guesser owns the slot before the secret comes into it, perhaps from elsewhere.
    await sendPrompt(to, createSecret(run.random))
    await sendPrompt(from, secret)
    judge(run, 'a guess beside another process', (await sendPrompt(to, secret)).cachedTokens)
    guesses += 1
  }
  for (const ending of ['SIGTERM', 'SIGKILL'] as const) {
    const state = { joining: true }
    const joining = environment.startApi().finally(() => (state.joining = false))
    while (state.joining) await guess(firstKeeper, firstGuesser)
    const second = await joining
    const secondKeeper = through(second, keeper)
    for (let round = 0; round < SHARED_ROUNDS; round += 1) await guess(secondKeeper, firstGuesser)
    await secondKeeper.line[Symbol.asyncDispose]()
    const left = { done: false }
    const leaving = (ending === 'SIGKILL' ? second.kill() : second[Symbol.asyncDispose]()).then(
      () => (left.done = true),
    )
    while (!left.done) await guess(firstKeeper, firstGuesser)
    await leaving
    if (!(await waitForOwn(run, () => firstKeeper))) run.fail('alone again, nothing was cached')
  }
  for (const { line } of tenants) await line[Symbol.asyncDispose]()
  return guesses
}
