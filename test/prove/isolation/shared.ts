import { setTimeout as pause } from 'node:timers/promises'
import { startEnvironment, type Environment } from '../../harness/environment.ts'
import { ENDLESS, startRealEngine } from '../../harness/real-engine.ts'
import { timeUntil, waitUntil } from '../../harness/measure.ts'
import type { HeadraceProcess } from '../../harness/process.ts'
import type { ProofRun } from '../../harness/proof.ts'
import { openChat } from '../../harness/stream-client.ts'
import { startValkey } from '../../harness/valkey.ts'
import { bodyOf, createSecret, openTenant, tryPrompt, type Tenant } from './guess.ts'
import {
  CACHED_ENGINES,
  judge,
  proveConversations,
  proveTakeovers,
  waitForOwn,
  waitForReuse,
} from './takeovers.ts'

const PROCESSES = 4
/** Of what one process reaches. */
const SHARED_SHARE_MIN = 0.8
/** After each failure. */
const GUESSES_AFTER = 12
const LEAVING_ROUNDS = 5
/** A process that was killed is registered for 4 s. */
const REGISTERED_MS = 4_500
const WAITING_TIMEOUT_MS = 20_000
const WAITING = `headrace_pool_waiting\\{model="${CACHED_ENGINES.one}"\\}`
const RECOVERY_TIMEOUT_MS = 90_000

type Setting = {
  readonly run: ProofRun
  readonly environment: Environment
  readonly apis: readonly HeadraceProcess[]
  readonly keys: { readonly keeper: string; readonly guesser: string }
}

/** An organization that sends every prompt through a process chosen by chance. */
function spread({ run, apis }: Setting, key: string, model: string) {
  const tenants = new Map<string, Tenant>()
  return {
    /** The address of a process changes when it is started again. */
    pick(from = apis): Tenant {
      const { apiRoot } = run.random.pick(from.filter((api) => api.isRunning()))
      const tenant = tenants.get(apiRoot) ?? openTenant(apiRoot, key, model)
      tenants.set(apiRoot, tenant)
      return tenant
    },
    async [Symbol.asyncDispose]() {
      for (const { line } of tenants.values()) await line[Symbol.asyncDispose]()
    },
  }
}

/** A generation of the keeper that does not end by itself, once it has begun. */
async function holdSlot({ keys }: Setting, { apiRoot }: HeadraceProcess, secret: string) {
  const body = { ...bodyOf(CACHED_ENGINES.one, secret, 'Go on.'), ...ENDLESS }
  const endless = { ...body, stream: true, max_completion_tokens: 3_000 }
  const chat = openChat({ apiRoot, key: keys.keeper }, endless)
  await chat.begun
  return chat
}

/**
 * The guesser sends the keeper's secret while the slot is in use. The request waits for the slot
 * and never gets it: its client leaves, or its process is killed. The slot still has the keeper's
 * prompt.
 */
async function guessInVain(setting: Setting, through: HeadraceProcess, isKilled: boolean) {
  const { run, apis, keys } = setting
  const [other] = apis.filter((api) => api !== through)
  if (other === undefined) throw new Error('several processes')
  const secret = createSecret(run.random)
  const held = await holdSlot(setting, other, secret)
  const body = bodyOf(CACHED_ENGINES.one, secret, 'Go on.')
  const waiting = openChat({ apiRoot: through.apiRoot, key: keys.guesser }, body)
  const isWaiting = async () => (await through.metric(WAITING)) === 1
  await waitUntil('the guess to wait for the slot', isWaiting, WAITING_TIMEOUT_MS)
  if (isKilled) await through.kill()
  else waiting.leave()
  await waiting.ended
  held.leave()
  await held.ended
  // time is under test: only then the slot of a killed process is free.
  if (isKilled) await pause(REGISTERED_MS)
  const tenant = openTenant(other.apiRoot, keys.guesser, CACHED_ENGINES.one)
  const reading = await tryPrompt(tenant, secret)
  await tenant.line[Symbol.asyncDispose]()
  if (reading === undefined) run.fail('a guess after a request in vain was rejected')
  else judge(run, isKilled ? 'after a kill' : 'after leaving', reading.cachedTokens)
}

/** Guesses through all processes, at least until the failure has ended. */
async function guessDuring(setting: Setting, failure: () => Promise<void>): Promise<number> {
  const { run, keys } = setting
  await using keeper = spread(setting, keys.keeper, CACHED_ENGINES.one)
  await using guesser = spread(setting, keys.guesser, CACHED_ENGINES.one)
  const state = { failing: true, guesses: 0, after: 0 }
  const ended = failure().finally(() => (state.failing = false))
  const isDone = async () => {
    const secret = createSecret(run.random)
    // The guesser owns the slot before the secret comes into it.
    await tryPrompt(guesser.pick(), createSecret(run.random))
    const kept = await tryPrompt(keeper.pick(), secret)
    const guessed = await tryPrompt(guesser.pick(), secret)
    if (kept !== undefined && guessed !== undefined) {
      judge(run, 'a guess beside a failure', guessed.cachedTokens)
      state.guesses += 1
      if (!state.failing) state.after += 1
    }
    return state.after >= GUESSES_AFTER
  }
  if ((await timeUntil(isDone, RECOVERY_TIMEOUT_MS)) === null)
    run.fail(`only ${state.after} guesses were answered after a failure`)
  await ended
  return state.guesses
}

/** Waits until an organization finds through one process what it sent through another. */
async function waitForShared(setting: Setting): Promise<void> {
  const { run, keys } = setting
  for (const model of Object.values(CACHED_ENGINES)) {
    await using tenants = spread(setting, keys.keeper, model)
    if (!(await waitForOwn(run, () => tenants.pick())))
      run.fail(`${model}: processes do not reuse what others have cached`)
  }
}

/**
 * Several processes use the same engines: nothing is cached for another organization, also while
 * requests, a process, Valkey or the engine fail; an organization's own prompts are.
 */
export async function proveShared(run: ProofRun, takeovers: number, aloneShare: number) {
  await using one = await startRealEngine(1)
  await using four = await startRealEngine(4)
  await using servers = new AsyncDisposableStack()
  const valkey = servers.use(await startValkey())
  const engines = [
    { name: 'one', url: one.url, slots: 1, model_name: 'pebble' },
    { name: 'four', url: four.url, slots: 4, model_name: 'pebble' },
  ]
  const models = [
    { id: CACHED_ENGINES.one, engines: ['one'], context_length: 4_096 },
    { id: CACHED_ENGINES.four, engines: ['four'], context_length: 4_096 },
  ]
  // Errors are expected in the log.
  const options = { engines, models, valkey: [valkey.url], onLog: () => undefined }
  await using environment = await startEnvironment(options)
  const apis = await environment.startApis(PROCESSES)
  const [{ key: keeper }, { key: guesser }] = [
    await environment.openCaller(),
    await environment.openCaller(),
  ]
  const setting = { run, environment, apis, keys: { keeper, guesser } }
  for (const api of apis)
    if (!(await waitForReuse(api))) run.fail('caches are not in use by all processes')
  await waitForShared(setting)
  await using keepers = spread(setting, keeper, CACHED_ENGINES.one)
  await using guessers = spread(setting, guesser, CACHED_ENGINES.one)
  const pickers = [() => keepers.pick(), () => guessers.pick()] as const
  const taken = await proveTakeovers(run, pickers, takeovers)
  await using speakers = spread(setting, keeper, CACHED_ENGINES.four)
  const share = (await proveConversations(run, () => speakers.pick())) / aloneShare
  if (share < SHARED_SHARE_MIN) run.fail(`processes reach ${share} of what one reaches`)
  const [first, second] = apis as [HeadraceProcess, HeadraceProcess]
  for (let round = 0; round < LEAVING_ROUNDS; round += 1) await guessInVain(setting, first, false)
  await guessInVain(setting, second, true)
  let guesses = await guessDuring(setting, () => second.start())
  guesses += await guessDuring(setting, async () => {
    await valkey.kill()
    servers.use(await startValkey({ port: Number(new URL(valkey.url).port) }))
  })
  guesses += await guessDuring(setting, () => one.restart())
  await waitForShared(setting)
  return { ...taken, share, guesses }
}
