import type { Environment } from '../../harness/environment.ts'
import { timeUntil } from '../../harness/figures/measure.ts'
import type { HeadraceProcess } from '../../harness/processes/process.ts'
import type { ProofRun } from '../../harness/proof.ts'
import {
  accuracyMax,
  accuracyOf,
  bodyOf,
  createSecret,
  HEAD_TOKENS_MAX,
  openTenant,
  sendPrompt,
  tryPrompt,
  type Guess,
  type Tenant,
} from './guess.ts'
import { openChat } from '../../harness/clients/stream-client.ts'

/** The models on an engine with one slot, and on one with four. */
export const CACHED_ENGINES = { one: 'isolation/one', four: 'isolation/four' } as const
const REUSE_TIMEOUT_MS = 60_000
const OWN_TIMEOUT_MS = 90_000
/** Every so often an organization sends a prompt twice. */
const REPEATED_EVERY = 10
const OWN_SHARE_MIN = 0.9
const CONVERSATIONS = 4
const TURNS = 40

/** Waits until the process reuses what its engines have cached. */
export async function waitForReuse(api: HeadraceProcess): Promise<boolean> {
  const inUse = () => api.metric('headrace_prompt_caches_in_use')
  const all = Object.keys(CACHED_ENGINES).length
  return (await timeUntil(async () => (await inUse()) === all, REUSE_TIMEOUT_MS)) !== null
}

/** Waits until an organization finds its own prompt cached. */
export async function waitForOwn(run: ProofRun, pick: () => Tenant): Promise<boolean> {
  const isCached = async () => {
    const secret = createSecret(run.random)
    await tryPrompt(pick(), secret)
    const reading = await tryPrompt(pick(), secret)
    if (reading === undefined) return false
    return reading.cachedTokens >= OWN_SHARE_MIN * reading.promptTokens
  }
  return (await timeUntil(isCached, OWN_TIMEOUT_MS)) !== null
}

/** Notes a guess that was cached although its sender had never sent it. */
export function judge(run: ProofRun, what: string, cachedTokens: number): void {
  if (cachedTokens > HEAD_TOKENS_MAX) run.fail(`${what}: ${cachedTokens} tokens were cached`)
}

/**
 * On an engine with one slot each request takes it over from the other organization. One sends
 * secrets, the other guesses them: right and wrong in random order, and otherwise alike.
 */
export async function proveTakeovers(
  run: ProofRun,
  [keeper, guesser]: readonly [keeper: () => Tenant, guesser: () => Tenant],
  takeovers: number,
) {
  const guesses: Guess[] = []
  const own = { repeated: 0, cachedTokens: 0, promptTokens: 0 }
  let cachedMax = 0
  for (let done = 0; done < takeovers; done += 2) {
    const secret = createSecret(run.random)
    const right = run.random.chance(0.5)
    const guessed = right ? secret : createSecret(run.random)
    await sendPrompt(keeper(), secret)
    const { cachedTokens, tookMs } = await sendPrompt(guesser(), guessed)
    judge(run, right ? 'a right guess' : 'a wrong guess', cachedTokens)
    cachedMax = Math.max(cachedMax, cachedTokens)
    guesses.push({ right, tookMs })
    if (done % REPEATED_EVERY !== 0) continue
    const repeated = await sendPrompt(guesser(), guessed)
    own.repeated += 1
    own.cachedTokens += repeated.cachedTokens
    own.promptTokens += repeated.promptTokens
  }
  const ownShare = own.cachedTokens / own.promptTokens
  if (ownShare < OWN_SHARE_MIN) run.fail(`only ${ownShare} of one's own prompts was cached`)
  const accuracy = accuracyOf(guesses)
  const most = accuracyMax(guesses.length)
  if (accuracy > most) run.fail(`times tell ${accuracy} of the guesses, more than ${most}`)
  return { cachedMax, ownShare, accuracy, most }
}

/** The share of tokens that conversations of one organization find cached, as many as slots. */
export async function proveConversations(run: ProofRun, pick: () => Tenant): Promise<number> {
  const secrets = Array.from({ length: CONVERSATIONS }, () => createSecret(run.random))
  for (const secret of secrets) await sendPrompt(pick(), secret)
  let [cached, all] = [0, 0]
  for (let turn = 0; turn < TURNS; turn += 1) {
    const reading = await sendPrompt(pick(), run.random.pick(secrets), `Go on with ${turn}.`)
    cached += reading.cachedTokens
    all += reading.promptTokens
  }
  return cached / all
}

/** Organizations that send at once, leave early and guess each other's prompts. */
export async function proveMixed(
  run: ProofRun,
  environment: Environment,
  api: HeadraceProcess,
  model: string,
  rounds: number,
): Promise<number> {
  const callers = await Promise.all(Array.from({ length: 4 }, () => environment.openCaller()))
  const secrets: { readonly text: string; readonly senders: Set<string> }[] = []
  let guessed = 0
  const work = async (): Promise<void> => {
    const { key } = run.random.pick(callers)
    const tenant = openTenant(api.apiRoot, key, model)
    const other = secrets.findLast(({ senders }) => !senders.has(key))
    if (run.random.chance(0.2)) {
      const text = createSecret(run.random)
      const chat = openChat({ apiRoot: api.apiRoot, key }, bodyOf(model, text, 'Leave.'))
      setImmediate(() => chat.leave())
      await chat.ended
      secrets.push({ text, senders: new Set([key]) })
    } else if (other !== undefined && run.random.chance(0.6)) {
      other.senders.add(key)
      judge(run, 'a guess among others', (await sendPrompt(tenant, other.text)).cachedTokens)
      guessed += 1
    } else {
      const text = createSecret(run.random)
      judge(run, 'a new prompt', (await sendPrompt(tenant, text)).cachedTokens)
      secrets.push({ text, senders: new Set([key]) })
    }
    await tenant.line[Symbol.asyncDispose]()
  }
  let begun = 0
  const worker = async () => {
    while ((begun += 1) <= rounds) await work()
  }
  await Promise.all(Array.from({ length: 6 }, worker))
  return guessed
}
