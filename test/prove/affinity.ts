// The turns of a conversation reach the engine that has read the earlier ones.
import { startEnvironment } from '../harness/environment.ts'
import { openLine, type Line } from '../harness/http-client.ts'
import { startLlamaServer, type LlamaServer } from '../harness/llama-server.ts'
import { runProof } from '../harness/proof.ts'
import { createRandom, type Random } from '../harness/random.ts'

const ENGINES = 4
const SLOTS = 4
/** Fewer than the slots can cache, since chance does not spread them evenly. */
const CONVERSATIONS = 12
const FAST = { turns: 8, replyTokensMax: 24 }
const SOAK = { turns: 24, replyTokensMax: 48 }
const AT_ONCE = 4
/** How much higher the share of cached tokens must be than without affinity. */
const GAIN_MIN = 0.15

const FLEET = 'proof/fleet'
const REASONING = { supported_efforts: ['low', 'medium', 'high'], default_effort: 'medium' }
const singleModel = (index: number) => `proof/single-${index}`

const TOPICS = ['rain', 'bread', 'maps', 'clocks', 'rivers', 'paper', 'bridges', 'tea', 'stars']
const QUESTIONS = ['Tell me a story about', 'What do you know about', 'Write a line about']
/** Each conversation has its own system prompt, long enough to be worth caching. */
const SYSTEM_WORDS = 60

type Message = {
  readonly role: string
  readonly content: string | null
  readonly reasoning_content?: string
}

type Conversation = { readonly messages: Message[]; turn: number }

function openConversation(random: Random, index: number): Conversation {
  const words = Array.from({ length: SYSTEM_WORDS }, () => random.pick(TOPICS))
  const content = `Assistant ${index}, speak of ${words.join(' and ')}.`
  return { messages: [{ role: 'system', content }], turn: 0 }
}

type Answer = {
  readonly choices: readonly { readonly message: Message }[]
  readonly usage: {
    readonly prompt_tokens: number
    readonly prompt_tokens_details: { readonly cached_tokens: number }
  }
}

type Setting = {
  readonly line: Line
  readonly key: string
  readonly random: Random
  readonly workload: typeof FAST
  /** The model that the next turn is sent to. */
  readonly nextModel: () => string
}

/** Runs conversations in turns of a random order, some at once, as many users do. */
async function converse({ line, key, random, workload, nextModel }: Setting) {
  const tally = { turns: 0, promptTokens: 0, cachedTokens: 0 }
  const idle = Array.from({ length: CONVERSATIONS }, (_, index) => openConversation(random, index))
  const work = async () => {
    while (idle.length > 0) {
      const [conversation] = idle.splice(random.between(0, idle.length - 1), 1)
      if (conversation === undefined) return
      const { messages } = conversation
      messages.push({ role: 'user', content: `${random.pick(QUESTIONS)} ${random.pick(TOPICS)}.` })
      const max_completion_tokens = workload.replyTokensMax
      const body = { model: nextModel(), messages, max_completion_tokens, seed: 1 }
      const { status, text } = await line.chat(key, body)
      if (status !== 200) throw new Error(`a turn was rejected: ${status} ${text}`)
      const { choices, usage } = JSON.parse(text) as Answer
      const message = choices[0]?.message
      if (message === undefined) throw new Error('no message')
      messages.push({ ...message, content: message.content ?? '' })
      tally.turns += 1
      tally.promptTokens += usage.prompt_tokens
      tally.cachedTokens += usage.prompt_tokens_details.cached_tokens
      conversation.turn += 1
      if (conversation.turn < workload.turns) idle.push(conversation)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return { turns: tally.turns, cached: tally.cachedTokens / tally.promptTokens }
}

/**
 * Runs the same conversations on new engines, which have read nothing yet. All engines serve one
 * model, and each one serves another model alone, so that turns can be sent round robin.
 */
async function measure(seed: number, workload: typeof FAST, nextModel: () => string) {
  await using starting = new AsyncDisposableStack()
  const servers: LlamaServer[] = []
  for (let index = 0; index < ENGINES; index += 1)
    servers.push(starting.use(await startLlamaServer(SLOTS)))
  const engines = servers.map(({ url }, index) => ({
    name: `engine-${index}`,
    url,
    slots: SLOTS,
    model_name: 'pebble',
  }))
  const names = engines.map(({ name }) => name)
  const models = [
    { id: FLEET, engines: names },
    ...names.map((name, index) => ({ id: singleModel(index), engines: [name] })),
  ].map((model) => ({ ...model, context_length: 4_096, reasoning: REASONING }))
  const environment = starting.use(await startEnvironment({ engines, models }))
  const { apiRoot } = await environment.startApi()
  const line = starting.use(openLine(apiRoot, AT_ONCE))
  const { key } = await environment.openCaller()
  return await converse({ line, key, random: createRandom(seed), workload, nextModel })
}

await runProof('affinity', async (run) => {
  const workload = run.soak ? SOAK : FAST
  const affinity = await measure(run.seed, workload, () => FLEET)
  let turn = 0
  const roundRobin = await measure(run.seed, workload, () => singleModel((turn += 1) % ENGINES))
  if (affinity.cached < roundRobin.cached + GAIN_MIN) run.fail('too few tokens were cached')
  return {
    engines: ENGINES,
    slots: SLOTS,
    conversations: CONVERSATIONS,
    turns: affinity.turns,
    cached: `${(100 * affinity.cached).toFixed(1)}%`,
    round_robin: `${(100 * roundRobin.cached).toFixed(1)}%`,
  }
})
