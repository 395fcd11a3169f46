import { setTimeout as pause } from 'node:timers/promises'
import { createRandom, type Random } from '../../harness/figures/random.ts'
import { chosenEngine } from '../../harness/engines/real-engine.ts'

/** Each vLLM needs 1.5 GB and half a minute to start. */
export const ENGINES = chosenEngine() === 'llama-server' ? 4 : 2
export const SLOTS = 4
/** Fewer than the slots, so that each conversation could keep one. */
export const CONVERSATIONS = 3 * ENGINES
export const AT_ONCE = 4

export type Workload = {
  readonly turns: number
  readonly replyTokensMax: number
  /** Between an answer and the next turn; default: 0. */
  readonly thinkMs?: number
  /** Default: CONVERSATIONS. */
  readonly conversations?: number
}

export type Message = {
  readonly role: string
  readonly content: string | null
  readonly reasoning_content?: string
}

export type Conversation = {
  readonly index: number
  readonly messages: Message[]
  turn: number
}

/** What a target made of one turn. */
export type Answer = {
  readonly message: Message
  readonly promptTokens: number
  readonly cachedTokens: number
}

/** Sends a conversation that ends with a question. */
export type Send = (conversation: Conversation, replyTokensMax: number) => Promise<Answer>

const TOPICS = ['rain', 'bread', 'maps', 'clocks', 'rivers', 'paper', 'bridges', 'tea', 'stars']
const QUESTIONS = ['Tell me a story about', 'What do you know about', 'Write a line about']
/** Each conversation has its own system prompt, long enough to be worth caching. */
const SYSTEM_WORDS = 60

function openConversation(random: Random, index: number): Conversation {
  const words = Array.from({ length: SYSTEM_WORDS }, () => random.pick(TOPICS))
  const content = `Assistant ${index}, speak of ${words.join(' and ')}.`
  return { index, messages: [{ role: 'system', content }], turn: 0 }
}

/** The same seed gives the same conversations, whoever answers them. */
export function openConversations(seed: number, { conversations = CONVERSATIONS }: Workload) {
  const random = createRandom(seed)
  const list = Array.from({ length: conversations }, (_, index) => openConversation(random, index))
  return { random, list }
}

export type Conversations = ReturnType<typeof openConversations>

/** Runs conversations in turns of a random order, some at once, as many users do. */
export async function converse(
  { random, list }: Conversations,
  { turns, replyTokensMax, thinkMs = 0 }: Workload,
  send: Send,
) {
  const tally = { turns: 0, promptTokens: 0, cachedTokens: 0 }
  const last = (list[0]?.turn ?? 0) + turns
  const idle = [...list]
  const work = async () => {
    while (idle.length > 0) {
      const [conversation] = idle.splice(random.between(0, idle.length - 1), 1)
      if (conversation === undefined) return
      const { messages } = conversation
      messages.push({ role: 'user', content: `${random.pick(QUESTIONS)} ${random.pick(TOPICS)}.` })
      const { message, promptTokens, cachedTokens } = await send(conversation, replyTokensMax)
      messages.push({ ...message, content: message.content ?? '' })
      tally.turns += 1
      tally.promptTokens += promptTokens
      tally.cachedTokens += cachedTokens
      conversation.turn += 1
      // pacing: people need longer to answer than processes to tell where conversations are.
      if (thinkMs > 0) await pause(thinkMs)
      if (conversation.turn < last) idle.push(conversation)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return { turns: tally.turns, cached: tally.cachedTokens / tally.promptTokens }
}

type Body = {
  readonly choices: readonly { readonly message: Message }[]
  readonly usage: {
    readonly prompt_tokens: number
    readonly prompt_tokens_details?: { readonly cached_tokens?: number }
  }
}

export function readAnswer(text: string): Answer {
  const { choices, usage } = JSON.parse(text) as Body
  const message = choices[0]?.message
  if (message === undefined) throw new Error('no message')
  const cachedTokens = usage.prompt_tokens_details?.cached_tokens ?? 0
  return { message, promptTokens: usage.prompt_tokens, cachedTokens }
}
