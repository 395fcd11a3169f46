import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { endWithFile } from '../harness/end-with-file.ts'
import { connectChatEngine } from '../../src/engines/adapters/chat-engine.ts'
import { EngineError } from '../../src/engines/adapters/engine.ts'
import { learnTokens } from '../../src/engines/adapters/learn-tokens.ts'
import { llamaServer } from '../../src/engines/adapters/llama-server.ts'
import { keepText, type Neutralise } from '../../src/engines/adapters/neutralise.ts'
import { sglang } from '../../src/engines/adapters/sglang.ts'
import { vllm } from '../../src/engines/adapters/vllm.ts'
import { createVocabulary, selectControlTokens } from '../../src/engines/adapters/vocabulary.ts'
import { createReadPauses } from '../../src/engines/wire/read-pauses.ts'
import { readVocabularyFile, tokensIn } from '../../src/lib/vocabulary/read-vocabulary.ts'
import { startRealEngine } from '../harness/engines/real-engine.ts'
import { createRenamedModel, UNUSUAL_TOKENS } from '../harness/engines/renamed-model.ts'
import { openTokenizer, tokenizerFile, TOKENIZERS } from '../harness/engines/tokenizers.ts'

const model = await createRenamedModel()
const server = await startRealEngine(2, { model: model.file })
endWithFile(server, model)

function connect(traits: typeof vllm, url: string) {
  const options = { name: 'one', url, apiKey: undefined, slots: 1, modelName: 'pebble' }
  return connectChatEngine({ ...options, readPauses: createReadPauses(0) }, traits)
}

type Answer = (body: Readonly<Record<string, unknown>>) => object | undefined

/**
 * An engine that answers with the text, JSON or function in `answers`, and 404 to everything else;
 * 400 where a function returns nothing.
 */
async function startAnswers(answers: Readonly<Record<string, string | object>>) {
  const http = createServer((request, response) => {
    const answer = answers[request.url ?? '']
    void json(request).then((body) => {
      if (answer === undefined) return response.writeHead(404).end()
      if (typeof answer === 'string') return response.end(answer)
      const told = typeof answer === 'function' ? (answer as Answer)(body) : answer
      return told === undefined ? response.writeHead(400).end() : response.end(JSON.stringify(told))
    })
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const { port } = http.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections()
      http.close()
      await once(http, 'close')
    },
  }
}

async function json(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const text = (await request.setEncoding('utf8').toArray()).join('')
  return (text === '' ? {} : JSON.parse(text)) as Readonly<Record<string, unknown>>
}

const tokenizerOf = (name: string) => {
  const known = TOKENIZERS.find((each) => each.model === name)
  assert.ok(known)
  return known
}

/** An engine with the tokens of MiniMax-M2, and `render` as its chat template. */
function startTemplate(prefix: string, textMember: string, render: (messages: Sent[]) => string) {
  const { idsOf, textOf } = openTokenizer(tokenizerFile(tokenizerOf('MiniMax-M2')))
  const tokenize: Answer = ({ prompt, messages }) => {
    if (typeof prompt === 'string') return { tokens: idsOf(prompt) }
    const text = render(messages as Sent[])
    return text === '' ? undefined : { tokens: idsOf(text) }
  }
  const detokenize: Answer = ({ tokens }) => ({ [textMember]: textOf(tokens as number[]) })
  return startAnswers({
    [`${prefix}/tokenize`]: tokenize,
    [`${prefix}/detokenize`]: detokenize,
  })
}

type Sent = { readonly role: string; readonly content: string; readonly tool_calls?: object[] }

const renderMiniMax = (messages: Sent[]) =>
  messages
    .map(({ role, content, tool_calls: calls = [] }) => {
      const called = calls.map((call) => `<minimax:tool_call>${JSON.stringify(call)}`).join('')
      return `]~b]${role}\n<think>\n</think>${content}${called}<plain>[e~[\n`
    })
    .join('')

describe('llama-server', () => {
  test('reports all control tokens of its vocabulary, however they look', async () => {
    const engine = connect(llamaServer, server.url)
    const vocabulary = createVocabulary()
    const report = await learnTokens(engine, [vocabulary])
    assert.deepEqual(report, { known: true, surviving: [] })
    const inFile = selectControlTokens(readVocabularyFile(model.file))
    assert.deepEqual([...vocabulary.tokens()].toSorted(), inFile.toSorted())
    for (const token of UNUSUAL_TOKENS)
      assert.ok(!vocabulary.neutralise(`a${token}b`).includes(token), token)
    engine.close()
  })

  test('tells which tokens survive', async () => {
    const engine = connect(llamaServer, server.url)
    const careless = { ...createVocabulary(), neutralise: keepText }
    const { surviving } = await learnTokens(engine, [careless])
    for (const token of UNUSUAL_TOKENS) assert.ok(surviving.includes(token), token)
    engine.close()
  })
})

describe('vLLM and SGLang', () => {
  const decoder = { '1': '<seed:bos>', '2': { content: ']~x]', special: true }, '3': '  ' }

  test('vLLM reports its tokens if it is started to do so', async () => {
    const info = { tokenizer_class: 'A', added_tokens_decoder: decoder, eos_token: '[e~x[' }
    await using answers = await startAnswers({ '/tokenizer_info': info })
    const engine = connect(vllm, answers.url)
    const vocabulary = createVocabulary()
    assert.equal((await learnTokens(engine, [vocabulary])).known, true)
    assert.deepEqual([...vocabulary.tokens()], ['<seed:bos>', ']~x]', '[e~x['])
    engine.close()
  })

  test('without a report the model is unknown, unless the operator gives tokens', async () => {
    await using answers = await startAnswers({})
    for (const traits of [vllm, sglang, llamaServer]) {
      const engine = connect(traits, answers.url)
      const given = createVocabulary()
      given.learn([']~x]'])
      assert.equal((await learnTokens(engine, [given])).known, true)
      assert.equal((await learnTokens(engine, [given, createVocabulary()])).known, false)
      engine.close()
    }
  })

  test('without a report the tokens of the chat template are found', async () => {
    const learned: string[][] = []
    for (const [traits, prefix, member] of [
      [vllm, '', 'prompt'],
      [sglang, '/v1', 'text'],
    ] as const) {
      await using answers = await startTemplate(prefix, member, renderMiniMax)
      const engine = connect(traits, answers.url)
      const vocabulary = createVocabulary()
      const report = await learnTokens(engine, [vocabulary])
      assert.deepEqual(report, { known: true, surviving: [] })
      learned.push([...vocabulary.tokens()])
      engine.close()
    }
    const tokens = [']~b]', '<think>', '</think>', '[e~[', '<minimax:tool_call>']
    assert.deepEqual(learned, [tokens, tokens])
  })

  test('a template that refuses tools still tells the tokens of a turn', async () => {
    const render = (messages: Sent[]) => (messages.length > 1 ? '' : renderMiniMax(messages))
    await using answers = await startTemplate('/v1', 'text', render)
    const engine = connect(sglang, answers.url)
    const vocabulary = createVocabulary()
    assert.equal((await learnTokens(engine, [vocabulary])).known, true)
    assert.deepEqual([...vocabulary.tokens()], [']~b]', '<think>', '</think>', '[e~['])
    engine.close()
  })

  test('a tokenizer that drops the break is reported', async () => {
    await using answers = await startTemplate('/v1', 'text', renderMiniMax)
    const engine = connect(sglang, answers.url)
    // Some normalizers delete invisible characters before the tokenizer looks for its tokens.
    const dropping: typeof engine = {
      ...engine,
      tokenize: (text, signal) => engine.tokenize(text.replaceAll('\u200b', ''), signal),
    }
    const { surviving } = await learnTokens(dropping, [createVocabulary()])
    assert.ok(surviving.includes(']~b]'))
    engine.close()
  })

  test('one surviving token is found among thousands', async () => {
    const known = tokenizerOf('Gemma 3')
    const { idsOf } = openTokenizer(tokenizerFile(known))
    const tokenize: Answer = ({ prompt }) => ({ tokens: idsOf(String(prompt)) })
    await using answers = await startAnswers({ '/v1/tokenize': tokenize })
    const engine = connect(sglang, answers.url)
    const vocabulary = createVocabulary()
    vocabulary.learn(selectControlTokens(tokensIn(tokenizerFile(known))))
    const forgotten = '<unused6000>'
    const parts = (text: string) => text.split(forgotten).map((part) => vocabulary.neutralise(part))
    const neutralise: Neutralise = (text) => parts(text).join(forgotten)
    const careless = { ...vocabulary, neutralise }
    assert.deepEqual((await learnTokens(engine, [vocabulary])).surviving, [])
    assert.deepEqual((await learnTokens(engine, [careless])).surviving, [forgotten])
    engine.close()
  })

  test('an engine cannot have ordinary text broken up', async () => {
    const words = ['the', ' the', '. ', '->', '()', '==', '\n\n', '    ', '/usr', 'a\u200b<b', '$1']
    const added_tokens_decoder = Object.fromEntries(
      words.map((content, id) => [id, { content, special: true }]),
    )
    await using answers = await startAnswers({ '/tokenizer_info': { added_tokens_decoder } })
    const engine = connect(vllm, answers.url)
    const vocabulary = createVocabulary()
    assert.equal((await learnTokens(engine, [vocabulary])).known, false)
    for (const word of words) assert.equal(vocabulary.neutralise(word), word)
    engine.close()
  })

  test('too many tokens, no JSON, or other JSON leave the model unknown', async () => {
    const added_tokens_decoder = Object.fromEntries(
      Array.from({ length: 300 }, (_, id) => [id, { content: `~a${id}~`, special: true }]),
    )
    for (const info of [{ added_tokens_decoder }, 'not JSON', [1], { added_tokens_decoder: 7 }]) {
      await using answers = await startAnswers({ '/tokenizer_info': info })
      const engine = connect(vllm, answers.url)
      assert.equal((await learnTokens(engine, [createVocabulary()])).known, false)
      engine.close()
    }
  })

  test('an unreachable engine is an error, so that it is asked again', async () => {
    const { url, ...gone } = await startAnswers({})
    await gone[Symbol.asyncDispose]()
    for (const traits of [vllm, llamaServer]) {
      const engine = connect(traits, url)
      await assert.rejects(learnTokens(engine, [createVocabulary()]), EngineError)
      engine.close()
    }
  })
})
