import assert from 'node:assert/strict'
import { readError, type Client } from '../../api/client.ts'
import { scriptedModel } from '../../harness/fake-engine/scripts.ts'
import { expectAccepted, expectError, MODEL, readCompletion, requestWith } from './rule.ts'
import type { Rule } from './rule.ts'
import { BARE_MODEL, SHORT_CONTEXT, SHORT_MODEL } from './world.ts'

const OUTPUT_MAX = 2048

/** Each of these words is one token of the demo model's. */
function words(count: number): object {
  return { messages: [{ role: 'user', content: ' one'.repeat(count) }] }
}

async function promptTokens(client: Client, prompt: object): Promise<number> {
  const { completion } = readCompletion(await client.chat(requestWith(prompt)))
  return completion.usage.prompt_tokens
}

/** A prompt that has exactly so many tokens, by the engine's own count. */
async function promptOf(client: Client, tokens: number): Promise<object> {
  const known = await promptTokens(client, words(1))
  const prompt = words(tokens - known + 1)
  assert.equal(await promptTokens(client, prompt), tokens)
  return prompt
}

function short(prompt: object, output: number | undefined, streamed = false): object {
  const stream = streamed ? { stream: true } : {}
  return requestWith({ ...prompt, ...stream, model: SHORT_MODEL, max_completion_tokens: output })
}

const PROMPT = 50
const ROOM = SHORT_CONTEXT - PROMPT

function lengthRule(
  id: string,
  name: string,
  prompt: number,
  output: number | undefined,
  fits: boolean,
): Rule {
  return {
    id: `length/${id}`,
    name,
    async check({ client }) {
      const answer = await client.chat(short(await promptOf(client, prompt), output))
      if (fits) expectAccepted(answer)
      else expectError(answer, 'context_length_exceeded', 'messages')
    },
  }
}

function outputRule(id: string, parameter: string, value: number, model: string, fits: boolean) {
  return {
    id: `length/${id}`,
    name: `${parameter} ${value} for ${model} is ${fits ? 'accepted' : `refused for ${parameter}`}`,
    async check({ client }: { client: Client }) {
      const limits = { max_completion_tokens: undefined, [parameter]: value }
      const answer = await client.chat(requestWith({ ...limits, model }))
      if (fits) expectAccepted(answer)
      else expectError(answer, 'invalid_value', parameter)
    },
  } satisfies Rule
}

export const LENGTHS: readonly Rule[] = [
  lengthRule('fits-exactly', 'prompt and output that fill the context fit', PROMPT, ROOM, true),
  lengthRule('one-above', 'one token more does not fit', PROMPT, ROOM + 1, false),
  lengthRule('prompt-leaves-one', 'a prompt that leaves one token fits', 63, 1, true),
  lengthRule('prompt-fills', 'a prompt that fills the context does not fit', 64, 1, false),
  lengthRule('prompt-above', 'a prompt above the context does not fit', 65, undefined, false),
  lengthRule('prompt-leaves-one-unasked', 'nor need the output be named', 63, undefined, true),
  lengthRule('prompt-fills-unasked', 'a full context without a named output', 64, undefined, false),
  {
    id: 'length/generated-within',
    name: 'without a named output the generation stays within the context',
    async check({ client }) {
      const answer = await client.chat(short(await promptOf(client, PROMPT), undefined))
      const { usage } = readCompletion(answer).completion
      assert.ok(usage.total_tokens <= SHORT_CONTEXT, `${usage.total_tokens} tokens`)
    },
  },
  {
    id: 'length/streamed-status',
    name: 'a streamed request that does not fit gets the status, not an event',
    async check({ client }) {
      const answer = await client.chat(short(words(200), 1, true))
      expectError(answer, 'context_length_exceeded', 'messages')
    },
  },
  {
    id: 'length/wording',
    name: 'the message contains "maximum context length is N tokens"',
    async check({ client }) {
      const { message } = readError(await client.chat(short(words(200), 1)))
      assert.match(message, new RegExp(`maximum context length is ${SHORT_CONTEXT} tokens`))
    },
  },
  {
    id: 'length/wording-of-engine',
    name: 'so does the message when it is the engine that finds out',
    async check({ client }) {
      const answer = await client.chat(requestWith({ model: scriptedModel('refuses-context') }))
      expectError(answer, 'context_length_exceeded', 'messages')
      assert.match(readError(answer).message, /maximum context length is 4096 tokens/)
    },
  },
  {
    id: 'length/long-prompt',
    name: 'a prompt far above the context of the demo model is refused',
    async check({ client }) {
      const answer = await client.chat(requestWith(words(5_000)))
      expectError(answer, 'context_length_exceeded', 'messages')
    },
  },
  outputRule('output-max', 'max_completion_tokens', OUTPUT_MAX, MODEL, true),
  outputRule('output-above', 'max_completion_tokens', OUTPUT_MAX + 1, MODEL, false),
  outputRule('output-max-deprecated', 'max_tokens', OUTPUT_MAX, MODEL, true),
  outputRule('output-above-deprecated', 'max_tokens', OUTPUT_MAX + 1, MODEL, false),
  outputRule('output-unannounced', 'max_tokens', OUTPUT_MAX + 1, BARE_MODEL, true),
  {
    id: 'length/finish',
    name: 'a generation that meets its limit ends with length, reasoning counted',
    async check({ client }) {
      const answer = await client.chat(requestWith({ max_completion_tokens: 3 }))
      const { choice, completion, message } = readCompletion(answer)
      assert.equal(choice.finish_reason, 'length')
      assert.equal(completion.usage.completion_tokens, 3)
      assert.equal(message.content, null)
      assert.ok(message.reasoning_content)
    },
  },
  {
    id: 'length/stop-no-effect',
    name: 'stop sequences have no effect and never reach the engine',
    async check({ client, engine }) {
      const model = scriptedModel('finishes-with-text')
      expectAccepted(await client.chat(requestWith({ model, stop: ['e', 'a'] })))
      const sent = engine.lastBody.get('finishes-with-text') ?? {}
      assert.equal(sent['stop'], undefined)
    },
  },
]
