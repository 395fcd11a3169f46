import assert from 'node:assert/strict'
import { readError } from '../client.ts'
import { scriptedModel } from '../../harness/fake-engine/scripts.ts'
import { expectAccepted, expectError, MODEL, readCompletion, type Rule, rules } from './rule.ts'
import { BARE_MODEL, type ContractApi, SHORT_CONTEXT, SHORT_MODEL } from './start.ts'

const OUTPUT_MAX = 2048
const PROMPT = 50
const ROOM = SHORT_CONTEXT - PROMPT

/** Each of these words is one token of the demo model's. */
function words(count: number): object {
  return { messages: [{ role: 'user', content: ' one'.repeat(count) }] }
}

async function promptTokens(api: ContractApi, prompt: object): Promise<number> {
  return readCompletion(await api.chat(prompt)).completion.usage.prompt_tokens
}

/** A prompt that has exactly so many tokens, by the engine's own count. */
async function promptOf(api: ContractApi, tokens: number): Promise<object> {
  const known = await promptTokens(api, words(1))
  const prompt = words(tokens - known + 1)
  assert.equal(await promptTokens(api, prompt), tokens)
  return prompt
}

function short(prompt: object, output: number | undefined): object {
  return { ...prompt, model: SHORT_MODEL, max_completion_tokens: output }
}

/** Tokens of the prompt, the named output, and whether both fit the short context. */
const FITS: readonly (readonly [title: string, number, number | undefined, boolean])[] = [
  ['fits-exactly: prompt and output that fill the context fit', PROMPT, ROOM, true],
  ['one-above: one token more does not fit', PROMPT, ROOM + 1, false],
  ['prompt-leaves-one: a prompt that leaves one token fits', 63, 1, true],
  ['prompt-fills: a prompt that fills the context does not fit', 64, 1, false],
  ['prompt-above: a prompt above the context does not fit', 65, undefined, false],
  ['prompt-leaves-one-unasked: nor need the output be named', 63, undefined, true],
  ['prompt-fills-unasked: a full context without a named output', 64, undefined, false],
]

const OUTPUTS = [
  ['output-max', 'max_completion_tokens', OUTPUT_MAX, MODEL, true],
  ['output-above', 'max_completion_tokens', OUTPUT_MAX + 1, MODEL, false],
  ['output-max-deprecated', 'max_tokens', OUTPUT_MAX, MODEL, true],
  ['output-above-deprecated', 'max_tokens', OUTPUT_MAX + 1, MODEL, false],
  ['output-unannounced', 'max_tokens', OUTPUT_MAX + 1, BARE_MODEL, true],
] as const

export const LENGTHS: readonly Rule[] = [
  ...FITS.flatMap(([title, prompt, output, fits]) =>
    rules('length', {
      [title]: async (api) => {
        const answer = await api.chat(short(await promptOf(api, prompt), output))
        if (fits) expectAccepted(answer)
        else expectError(answer, 'context_length_exceeded', 'messages')
      },
    }),
  ),
  ...OUTPUTS.map(([id, parameter, value, model, fits]): Rule => ({
    id: `length/${id}`,
    name: `${parameter} ${value} for ${model} is ${fits ? 'accepted' : `invalid`}`,
    async check(api) {
      const limits = { max_completion_tokens: undefined, [parameter]: value }
      const answer = await api.chat({ ...limits, model })
      if (fits) expectAccepted(answer)
      else expectError(answer, 'invalid_value', parameter)
    },
  })),
  ...rules('length', {
    'generated-within: without a named output the generation stays within the context': async (
      api,
    ) => {
      const answer = await api.chat(short(await promptOf(api, PROMPT), undefined))
      const { usage } = readCompletion(answer).completion
      assert.ok(usage.total_tokens <= SHORT_CONTEXT, `${usage.total_tokens} tokens`)
    },
    'streamed-status: a streamed request that does not fit gets a status': async (api) => {
      const answer = await api.chat({ ...short(words(200), 1), stream: true })
      expectError(answer, 'context_length_exceeded', 'messages')
    },
    'wording: the message contains "maximum context length is N tokens"': async (api) => {
      const { message } = readError(await api.chat(short(words(200), 1)))
      const length = `maximum context length is ${SHORT_CONTEXT} tokens`
      assert.match(message, new RegExp(`prompt is too long: .*${length}`))
    },
    'wording-of-engine: so does the message when the engine finds out': async (api) => {
      const answer = await api.chat({ model: scriptedModel('refuses-context') })
      expectError(answer, 'context_length_exceeded', 'messages')
      assert.match(readError(answer).message, /maximum context length is 4096 tokens/)
    },
    'long-prompt: a prompt far above the context of the demo model is rejected': async (api) => {
      expectError(await api.chat(words(5_000)), 'context_length_exceeded', 'messages')
    },
    'finish: a generation that meets its limit ends with length': async (api) => {
      const answer = await api.chat({ max_completion_tokens: 3 })
      const { choice, completion, message } = readCompletion(answer)
      assert.equal(choice.finish_reason, 'length')
      assert.equal(completion.usage.completion_tokens, 3, 'reasoning is counted')
      assert.equal(message.content, null)
      assert.ok(message.reasoning_content)
    },
    'stop-named: the response names stop, which has no effect, streamed or not': async (api) => {
      const model = scriptedModel('finishes-with-text')
      const ignored = async (change: object) =>
        (await api.chat({ model, ...change })).headers['x-ignored-parameters']
      assert.equal(await ignored({ stop: ['x'] }), 'stop')
      assert.equal(await ignored({ stop: 'x', stream: true }), 'stop')
      assert.equal(await ignored({ stop: null }), undefined)
      assert.equal(await ignored({}), undefined)
    },
    'stop-no-effect: stop sequences have no effect and never reach the engine': async (api) => {
      const model = scriptedModel('finishes-with-text')
      expectAccepted(await api.chat({ model, stop: ['e', 'a'] }))
      const sent = api.engine.lastBody.get('finishes-with-text') ?? {}
      assert.equal(sent['stop'], undefined)
    },
  }),
]
