import type { Asked } from './server.ts'

/** The last message of a generation. */
export function promptOf(body: Asked['body']): string {
  const messages = body['messages'] as readonly { readonly content: string }[]
  return messages.at(-1)?.content ?? ''
}

/** Whether the service checks the engine itself, with one token. */
export function isCheck(body: Asked['body']): boolean {
  return promptOf(body) === 'Hello' && body['max_tokens'] === 1
}
