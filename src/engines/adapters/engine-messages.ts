import type { Message } from '../../contract/chat-message.ts'
import { neutraliseTexts, type Neutralise } from './neutralise.ts'

/** A message as sent to engines: listed members only, content always one string. */
export type EngineMessage = {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string
  readonly reasoning_content?: string
  readonly reasoning?: string
  readonly tool_calls?: readonly {
    readonly id: string
    readonly type: 'function'
    readonly function: { readonly name: string; readonly arguments: string }
  }[]
  readonly tool_call_id?: string
}

/** The member in which an engine expects the reasoning of earlier turns. */
export type ReasoningMember = 'reasoning_content' | 'reasoning'

/** Chat templates know only `system`; `developer` is its newer name. */
export function engineMessages(
  messages: readonly Message[],
  neutralise: Neutralise,
  reasoningMember: ReasoningMember | undefined,
): EngineMessage[] {
  const flatten = (content: Content) => neutralise(joined(content))
  return messages.map((message): EngineMessage => {
    switch (message.role) {
      case 'system':
      case 'developer':
        return { role: 'system', content: flatten(message.content) }
      case 'user':
        return { role: 'user', content: flatten(message.content) }
      case 'tool':
        return {
          role: 'tool',
          content: flatten(message.content),
          tool_call_id: neutralise(message.tool_call_id),
        }
      case 'assistant': {
        const { reasoning_content: reasoning, tool_calls: calls } = message
        return {
          role: 'assistant',
          content: flatten(message.content),
          ...(reasoning && reasoningMember ? { [reasoningMember]: neutralise(reasoning) } : {}),
          ...(calls && calls.length > 0
            ? { tool_calls: calls.map((call) => listed(call, neutralise)) }
            : {}),
        }
      }
    }
  })
}

type Content = Message['content']
type Call = NonNullable<Extract<Message, { role: 'assistant' }>['tool_calls']>[number]

/** Joined here, because engines join parts in different ways. */
function joined(content: Content): string {
  if (content === null || content === undefined) return ''
  if (!Array.isArray(content)) return content
  const texts = content.map(({ text }) => text)
  return texts.length === 1 && texts[0] !== undefined ? texts[0] : texts.join('\n')
}

function listed(call: Call, neutralise: Neutralise) {
  const { name, arguments: text } = call.function
  // The check of the request has limited their depth and size. Engines parse and render them again,
  // so an escape could hide a control token.
  const plain = JSON.stringify(neutraliseTexts(JSON.parse(text), neutralise))
  const called = { name: neutralise(name), arguments: plain }
  return { id: neutralise(call.id), type: 'function' as const, function: called }
}
