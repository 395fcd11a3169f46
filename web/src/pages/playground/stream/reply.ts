import type { ChatChunk } from '../../../../../src/contract/chat-chunk.ts'
import type { Usage } from '../../../../../src/contract/chat-response.ts'

export type Call = { id: string; name: string; arguments: string }

/** What the events add up to. It grows in place: thousands of copies would cost too much. */
export type Reply = {
  reasoning: string
  text: string
  readonly calls: Call[]
  finish: string | null
  usage: Usage | null
}

export function emptyReply(): Reply {
  return { reasoning: '', text: '', calls: [], finish: null, usage: null }
}

export function addChunk(reply: Reply, { choices, usage }: ChatChunk): void {
  if (usage !== null && usage !== undefined) reply.usage = usage
  const [choice] = choices
  if (choice === undefined) return
  const { delta } = choice
  reply.reasoning += delta.reasoning_content ?? ''
  reply.text += delta.content ?? ''
  for (const fragment of delta.tool_calls ?? []) {
    const call = (reply.calls[fragment.index] ??= { id: '', name: '', arguments: '' })
    call.id ||= fragment.id ?? ''
    call.name += fragment.function?.name ?? ''
    call.arguments += fragment.function?.arguments ?? ''
  }
  reply.finish = choice.finish_reason ?? reply.finish
}
