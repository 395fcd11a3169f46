import { randomBytes } from 'node:crypto'
import type { CacheUse, Engine } from '../engine.ts'
import { keepText } from '../neutralise.ts'

/** Enough random text that it outweighs what every prompt has from the template. */
const SLOT_BYTES = 96
/** Engines with salts cache whole blocks of up to some hundred tokens. */
const SALTED_BYTES = 512
const TIMEOUT_MS = 30_000
/** Of a prompt that is cached, or not. */
const CACHED_SHARE = 0.5

/** Prompts that are sent to an engine with salts. Behind one address may be several caches. */
const PROMPTS = 3
/** Of several workers, each should get some prompts of both organizations. */
const PROMPTS_OF_MANY = 8

/**
 * Whether a prompt of one organization is not cached for another, or there is no other; unknown if
 * the engine does not report that a repeated prompt is cached for the organization itself. Of an
 * engine with slots, whether it has as many as we use. Slots in use are not tested, because that
 * would disturb their owners.
 */
export async function separatesCaches(engine: Engine): Promise<boolean | 'unknown'> {
  if (engine.promptCache === 'none' || engine.organizationId !== undefined) return true
  if (engine.promptCache === 'shared') return false
  if (engine.promptCache === 'slots')
    return (await engine.countSlots(AbortSignal.timeout(TIMEOUT_MS))) >= engine.slots
  let isSeen = true
  const isMany = engine.workers === 'many'
  const prompts = isMany ? PROMPTS_OF_MANY : PROMPTS
  for (let prompt = 0; prompt < prompts; prompt += 1) {
    const text = randomText(SALTED_BYTES)
    await readPrompt(engine, text, 'probe 1')
    if ((await readPrompt(engine, text, 'probe 1')) < CACHED_SHARE) isSeen = false
    if ((await readPrompt(engine, text, 'probe 2')) >= CACHED_SHARE) return false
  }
  // A prompt that went to another worker was not cached there anyway.
  return isMany || !isSeen ? 'unknown' : true
}

/**
 * Whether a slot forgets a prompt that another has replaced, which is not so with a cache beyond
 * the slots (`--cache-ram`), and has the newer one cached. Nobody else may use the slot meanwhile.
 */
export async function forgetsReplaced(engine: Engine, slot: number): Promise<boolean> {
  const [first, second] = [randomText(SLOT_BYTES), randomText(SLOT_BYTES)]
  const ask = (text: string, reuse: boolean) => readPrompt(engine, text, 'probe', { slot, reuse })
  await ask(first, false)
  if ((await ask(second, false)) > 0 || (await ask(second, true)) < CACHED_SHARE) return false
  return (await ask(first, true)) < CACHED_SHARE
}

function randomText(bytes: number): string {
  return randomBytes(bytes).toString('hex')
}

/** The share of a prompt's tokens that the engine reports as cached. */
async function readPrompt(
  engine: Engine,
  content: string,
  organizationId: string,
  use?: CacheUse,
): Promise<number> {
  const request = { model: 'probe', messages: [{ role: 'user' as const, content }] }
  const generation = { request, outputTokensMax: 1, effort: undefined, organizationId }
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  let share = 0
  const batches = await engine.generate({ ...generation, neutralise: keepText }, signal, { use })
  for await (const { pieces } of batches)
    for (const piece of pieces)
      if (piece.type === 'usage') share = piece.usage.cachedTokens / piece.usage.promptTokens
  return share
}
