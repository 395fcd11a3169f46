import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { z } from 'zod'
import { apiRoot, createKey } from '../control-client.ts'
import { assertCounted, COUNTING } from '../counting.ts'
import { assertBob, PERSON_QUESTION, PERSON_SCHEMA } from '../structured-output.ts'
import { PEBBLE } from '../models.ts'
import { assertStopsOnAbort, STORY, STORY_PENALTY } from '../endless-story.ts'
import { VERSIONS } from './versions.ts'

const apiKey = await createKey()

for (const { version, OpenAI, zodResponseFormat, helpers } of VERSIONS) {
  const client = new OpenAI({ baseURL: apiRoot, apiKey })
  const ask = (content: string) => ({
    model: PEBBLE,
    messages: [{ role: 'user' as const, content }],
    temperature: 0,
  })

  describe(`openai ${version}`, () => {
    test('text: content, separate reasoning, and usage', async () => {
      const completion = await client.chat.completions.create(ask('What is the capital of France?'))
      const [choice] = completion.choices
      assert.match(choice?.message.content ?? '', /Paris/)
      assert.equal(choice?.finish_reason, 'stop')
      assert.ok((readReasoning(choice?.message) ?? '').length > 0)
      assert.ok((completion.usage?.completion_tokens_details?.reasoning_tokens ?? 0) > 0)
      assert.match(completion._request_id ?? '', /^[0-9a-f-]{36}$/)
    })

    test('stream: all chunks in order, reasoning before content, usage last', async () => {
      const request = { ...ask(COUNTING), stream: true, stream_options: { include_usage: true } }
      const kinds: string[] = []
      const pieces: string[] = []
      for await (const chunk of await client.chat.completions.create({
        ...request,
        stream: true,
      })) {
        const [choice] = chunk.choices
        if (choice?.delta.content) pieces.push(choice.delta.content)
        kinds.push(kindOf(choice, chunk.usage))
      }
      assertCounted(pieces)
      const order = kinds.filter((kind, index) => kind !== kinds[index - 1])
      assert.deepEqual(order, ['role', 'reasoning', 'content', 'stop', 'usage'])
    })

    test('stream helper: the final completion is complete', async () => {
      const stream = helpers(client).stream(ask(COUNTING))
      const pieces: string[] = []
      stream.on('content', (piece) => pieces.push(piece))
      const completion = await stream.finalChatCompletion()
      assertCounted(pieces)
      assert.equal(completion.choices[0]?.message.content, pieces.join(''))
    })

    test('JSON schema: the content is JSON that matches the schema', async () => {
      const completion = await client.chat.completions.create({
        ...ask(PERSON_QUESTION),
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'person', strict: true, schema: PERSON_SCHEMA },
        },
      })
      assertBob(JSON.parse(completion.choices[0]?.message.content ?? ''))
    })

    test('JSON schema: parse() with a zod schema', async () => {
      const schema = z.object({ name: z.string(), age: z.number().int() })
      const completion = await helpers(client).parse({
        ...ask(PERSON_QUESTION),
        response_format: zodResponseFormat(schema, 'person'),
      })
      assertBob(completion.choices[0]?.message.parsed)
    })

    test('abort: disconnecting mid-stream stops the engine', async () => {
      await assertStopsOnAbort(async (max_completion_tokens, seen) => {
        const stream = await client.chat.completions.create({
          ...ask(STORY),
          max_completion_tokens,
          frequency_penalty: STORY_PENALTY,
          stream: true,
        })
        for await (const chunk of stream) {
          if (!chunk.choices[0]?.delta.content) continue
          await seen()
          stream.controller.abort()
          // Version 4 still yields the chunks that it has already read.
          break
        }
      })
    })

    test('models: list all, and retrieve one whose id contains a slash', async () => {
      const { data } = await client.models.list()
      assert.deepEqual(
        data.map(({ id }) => id),
        ['headrace/pebble', 'headrace/pebble-strict'],
      )
      assert.deepEqual({ ...(await client.models.retrieve(PEBBLE)) }, data[0])
    })
  })
}

type Choice = { delta: object; finish_reason: string | null }

function kindOf(choice: Choice | undefined, usage: unknown): string {
  if (choice === undefined) return usage ? 'usage' : 'nothing'
  if (choice.finish_reason) return choice.finish_reason
  if (readReasoning(choice.delta)) return 'reasoning'
  return 'content' in choice.delta && choice.delta.content ? 'content' : 'role'
}

/** The SDK passes the field through, but its types do not know it. */
function readReasoning(message: object | undefined): string | undefined {
  const { reasoning_content } = { ...message } as { reasoning_content?: string }
  return reasoning_content
}
