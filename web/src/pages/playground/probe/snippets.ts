import type { ChatBody } from '../setup/chat-body.ts'

// The request in three languages. The key is read from the environment: no snippet has a secret.

const INDENT = 2

export function curlOf(root: string, body: ChatBody): string {
  // JSON escapes every line end, so no line of it can end the text too early.
  return `curl -N ${root}/chat/completions \\
  -H "Authorization: Bearer $HEADRACE_API_KEY" \\
  -H "Content-Type: application/json" \\
  --data-binary @- <<'EOF'
${JSON.stringify(body, null, INDENT)}
EOF`
}

export function pythonOf(root: string, body: ChatBody): string {
  const options = Object.entries(body).map(([name, value]) => `    ${name}=${literal(value, 1)},\n`)
  return `import os
from openai import OpenAI

client = OpenAI(
    base_url=${literal(root, 1)},
    api_key=os.environ["HEADRACE_API_KEY"],
)
stream = client.chat.completions.create(
${options.join('')})
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="")`
}

/** A JSON value as Python writes it. */
function literal(value: unknown, level: number): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const parts = Array.isArray(value)
    ? value.map((item) => literal(item, level + 1))
    : Object.entries(value).map(
        ([name, item]) => `${JSON.stringify(name)}: ${literal(item, level + 1)}`,
      )
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (parts.length === 0) return `${open}${close}`
  const indent = '    '.repeat(level + 1)
  const lines = parts.map((part) => `${indent}${part},\n`).join('')
  return `${open}\n${lines}${'    '.repeat(level)}${close}`
}

export function typescriptOf(root: string, body: ChatBody): string {
  return `import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: ${JSON.stringify(root)},
  apiKey: process.env.HEADRACE_API_KEY,
})
const stream = await client.chat.completions.create(${JSON.stringify(body, null, INDENT)})
for await (const chunk of stream)
  process.stdout.write(chunk.choices[0]?.delta.content ?? '')`
}
