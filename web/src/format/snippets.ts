import { API_ROOT } from '../api/place.ts'
import type { Snippet } from '../parts/code.tsx'

/** Where the operator has not said the address of the API. */
const PLACEHOLDER = 'https://api.example.com/compat/v1'

function apiRoot(): string {
  return API_ROOT === '' ? PLACEHOLDER : API_ROOT
}

/**
 * The first request in the languages people use. The key comes from the environment; while it is
 * shown, curl has it, so that one can paste and run it.
 */
export function firstRequest(model: string, key = '$HEADRACE_API_KEY'): Snippet[] {
  return [
    { name: 'curl', label: 'curl', text: curl(model, key) },
    { name: 'python', label: 'Python', text: python(model) },
    { name: 'typescript', label: 'TypeScript', text: typescript(model) },
  ]
}

function curl(model: string, key: string): string {
  const name = JSON.stringify(model).replaceAll("'", `'\\''`)
  return `curl ${apiRoot()}/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '{"model": ${name}, "stream": true,
       "messages": [{"role": "user", "content": "Hello"}]}'`
}

function python(model: string): string {
  return `import os
from openai import OpenAI

client = OpenAI(
    base_url="${apiRoot()}",
    api_key=os.environ["HEADRACE_API_KEY"],
)
answer = client.chat.completions.create(
    model=${JSON.stringify(model)},
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`
}

function typescript(model: string): string {
  return `import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: '${apiRoot()}',
  apiKey: process.env.HEADRACE_API_KEY,
})
const answer = await client.chat.completions.create({
  model: ${JSON.stringify(model)},
  messages: [{ role: 'user', content: 'Hello' }],
})
console.log(answer.choices[0].message.content)`
}
