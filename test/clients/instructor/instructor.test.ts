import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import Instructor from '@instructor-ai/instructor'
import { OpenAI } from 'openai'
import { z } from 'zod'
import { apiRoot, createKey } from '../control-client.ts'
import { PEBBLE } from '../models.ts'
import { assertBob, PERSON_QUESTION } from '../structured-output.ts'

const client = new OpenAI({ baseURL: apiRoot, apiKey: await createKey() })
const schema = z.object({ name: z.string(), age: z.number().int() })

type Mode = Parameters<typeof Instructor>[0]['mode']

function extract(mode: Mode, from = client) {
  return Instructor({ client: from, mode }).chat.completions.create({
    model: PEBBLE,
    messages: [{ role: 'user', content: PERSON_QUESTION }],
    temperature: 0,
    response_model: { schema, name: 'Person' },
    max_retries: 0,
  })
}

describe('@instructor-ai/instructor 1.7.0', () => {
  for (const mode of ['TOOLS', 'JSON', 'JSON_SCHEMA', 'MD_JSON'] as const) {
    test(`${mode}: the object matches the schema`, async () => {
      const { name, age } = await extract(mode)
      assertBob({ name, age })
    })
  }

  test('FUNCTIONS: 400, because the parameters of that mode are not supported', async () => {
    await assert.rejects(extract('FUNCTIONS'), { status: 400, code: 'unsupported_parameter' })
  })

  test('401: the error of the underlying client is passed on', async () => {
    const anonymous = new OpenAI({ baseURL: apiRoot, apiKey: 'sk-unknown' })
    await assert.rejects(extract('TOOLS', anonymous), { status: 401, code: 'invalid_api_key' })
  })
})
