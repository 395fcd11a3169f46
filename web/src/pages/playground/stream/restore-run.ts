import type { SavedAnswer } from '../saved/saved-schema.ts'
import type { ChatBody } from '../setup/chat-body.ts'
import { createEventLog } from './event-log.ts'
import { nextRunId, type Run } from './run.ts'
import { emptyTiming } from './timing.ts'

/** A request of a saved conversation, as far as the file has it: its events are not saved. */
export function restoreRun(saved: SavedAnswer, body: ChatBody): Run {
  return {
    id: nextRunId(),
    body,
    sentAt: 0,
    state: saved.state,
    status: saved.status,
    headers: [],
    requestId: saved.request_id,
    fault: null,
    bytes: 0,
    version: 0,
    reply: {
      reasoning: saved.reasoning_content,
      text: saved.content,
      calls: saved.tool_calls.map((call) => ({ ...call })),
      finish: saved.finish_reason,
      usage: saved.usage,
    },
    timing: {
      ...emptyTiming(),
      firstAt: saved.first_ms,
      lastAt: saved.last_ms,
      endedAt: saved.ended_ms ?? saved.last_ms ?? 0,
    },
    events: createEventLog(),
    stop: () => {},
    subscribe: () => () => {},
  }
}
