import type { Line } from '../../harness/http-client.ts'
import type { Random } from '../../harness/random.ts'

/** Prompt tokens of all turns, and how many of them an engine had seen before. */
export type CacheTally = { turns: number; promptTokens: number; cachedTokens: number }

export type Workload = {
  readonly conversations: number
  readonly turns: number
  readonly replyTokensMax: number
}

type Message = {
  readonly role: string
  readonly content: string | null
  readonly reasoning_content?: string
}

type Conversation = { readonly messages: Message[]; turn: number }

const TOPICS = ['rain', 'bread', 'maps', 'clocks', 'rivers', 'paper', 'bridges', 'tea', 'stars']
const QUESTIONS = ['Tell me a story about', 'What do you know about', 'Write a line about']
/** A system prompt of its own for each conversation, long enough to be worth keeping. */
const SYSTEM_WORDS = 60

function opening(random: Random, index: number): Conversation {
  const words = Array.from({ length: SYSTEM_WORDS }, () => random.pick(TOPICS))
  const content = `Assistant ${index}, speak of ${words.join(' and ')}.`
  return { messages: [{ role: 'system', content }], turn: 0 }
}

/**
 * Conversations that go on in turns of a random order, some at once, as a service with many users
 * has them. `modelOf` says which model the turn is asked of.
 */
export async function runWorkload(
  line: Line,
  key: string,
  workload: Workload,
  random: Random,
  atOnce: number,
  modelOf: () => string,
): Promise<CacheTally> {
  const tally: CacheTally = { turns: 0, promptTokens: 0, cachedTokens: 0 }
  const idle = Array.from({ length: workload.conversations }, (_, index) => opening(random, index))
  const work = async () => {
    while (idle.length > 0) {
      const [conversation] = idle.splice(random.between(0, idle.length - 1), 1)
      if (conversation === undefined) return
      const content = `${random.pick(QUESTIONS)} ${random.pick(TOPICS)}.`
      conversation.messages.push({ role: 'user', content })
      await takeTurn(line, key, modelOf(), conversation, workload.replyTokensMax, tally)
      conversation.turn += 1
      if (conversation.turn < workload.turns) idle.push(conversation)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return tally
}

type Answer = {
  readonly choices: readonly { readonly message: Message }[]
  readonly usage: {
    readonly prompt_tokens: number
    readonly prompt_tokens_details: { readonly cached_tokens: number }
  }
}

async function takeTurn(
  line: Line,
  key: string,
  model: string,
  { messages }: Conversation,
  replyTokensMax: number,
  tally: CacheTally,
): Promise<void> {
  const body = JSON.stringify({ model, messages, max_completion_tokens: replyTokensMax, seed: 1 })
  const sent = { method: 'POST', path: '/chat/completions', body }
  const { status, text } = await line.send({ ...sent, authorization: `Bearer ${key}` })
  if (status !== 200) throw new Error(`a turn was refused: ${status} ${text}`)
  const { choices, usage } = JSON.parse(text) as Answer
  const message = choices[0]?.message
  if (message === undefined) throw new Error('no message')
  const { content, reasoning_content } = message
  messages.push({
    role: 'assistant',
    content: content ?? '',
    ...(reasoning_content === undefined ? {} : { reasoning_content }),
  })
  tally.turns += 1
  tally.promptTokens += usage.prompt_tokens
  tally.cachedTokens += usage.prompt_tokens_details.cached_tokens
}
