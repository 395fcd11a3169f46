import { chunk, ending, ROLE } from '../../harness/fake-engine/events.ts'
import { begin, startFakeEngine, type Asked } from '../../harness/fake-engine/server.ts'

/** A request says in its prompt whose it is: the engine counts at once who runs how many. */
export type Owner = { readonly organizationId: string; readonly key: string }

/** What is limited: an organization, a key or a model, by what `labelsOf` makes of it. */
export type Caps = ReadonlyMap<string, number>

export type HoldingEngines = AsyncDisposable & {
  /** By model name. */
  readonly urls: Readonly<Record<string, string>>
  running(label: string): number
  /** How often a generation began beyond a cap. */
  readonly above: number
  /** Ends generations after so many milliseconds; null holds them until they are released. */
  endAfter(choose: (() => number) | null): void
  release(organizationId: string): void
}

/**
 * An engine that is silent for long would be taken for a broken one. With its counts a process
 * writes a checkpoint, which renews its lease: nobody takes it for dead on a busy machine.
 */
const WORD_EVERY_MS = 1_000
const PROMPT_TOKENS = 10

function word(completion: number): string {
  const usage = { prompt_tokens: PROMPT_TOKENS, completion_tokens: completion }
  return chunk({ content: 'word ' }, null, { usage })
}

export function labelsOf({ organizationId, key }: Owner, model: string) {
  return {
    organization: organizationId,
    key: `${organizationId} key ${key}`,
    model: `${organizationId} model ${model}`,
  }
}

/** One engine per model. Each generation sends a word and runs until it is released. */
export async function startHoldingEngines(
  models: readonly string[],
  caps: Caps,
): Promise<HoldingEngines> {
  await using starting = new AsyncDisposableStack()
  const running = new Map<string, number>()
  const held = new Map<() => void, string>()
  let above = 0
  let chooseMs: (() => number) | null = null

  const add = (labels: readonly string[], change: number) => {
    for (const label of labels) {
      const count = (running.get(label) ?? 0) + change
      running.set(label, count)
      if (change > 0 && count > (caps.get(label) ?? Infinity)) above += 1
    }
  }
  const answer = (model: string) => (asked: Asked) => {
    const { response } = asked
    const owner = ownerOf(asked)
    const labels = Object.values(labelsOf(owner, model))
    add(labels, 1)
    let words = 1
    begin(response).write(ROLE + word(words))
    const speaking = setInterval(() => {
      words += 1
      response.write(word(words))
    }, WORD_EVERY_MS)
    // It stops counting before its end is sent: another may begin as soon as that is read.
    const stop = () => {
      if (!held.delete(end)) return
      clearInterval(speaking)
      add(labels, -1)
    }
    const end = () => {
      stop()
      response.end(ending({ prompt: PROMPT_TOKENS, completion: words }))
    }
    held.set(end, owner.organizationId)
    response.once('close', stop)
    if (chooseMs !== null) setTimeout(end, chooseMs())
  }
  const urls: Record<string, string> = {}
  for (const model of models) urls[model] = starting.use(await startFakeEngine(answer(model))).url
  const started = starting.move()
  return {
    urls,
    running: (label) => running.get(label) ?? 0,
    get above() {
      return above
    },
    endAfter(choose) {
      chooseMs = choose
    },
    release(organizationId) {
      for (const [end, owner] of held) if (owner === organizationId) end()
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

export function promptOf({ organizationId, key }: Owner): string {
  return `${organizationId} ${key}`
}

function ownerOf({ body }: Asked): Owner {
  const [message] = body['messages'] as { content: string }[]
  const [organizationId = '', key = ''] = message?.content.split(' ') ?? []
  return { organizationId, key }
}
