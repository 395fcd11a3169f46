import type { Message } from './setup/chat-body.ts'
import { createEventLog } from './stream/event-log.ts'
import type { Run } from './stream/run.ts'

/** Requests of a column whose events are kept; those of older ones are dropped. */
const RUNS_WITH_EVENTS_MAX = 20

export type UserEntry = { readonly kind: 'user'; readonly id: number; readonly text: string }
export type AnswerEntry = {
  readonly kind: 'answer'
  readonly id: number
  readonly run: Run
  /** Results of its tool calls, by the id of the call, once they are sent. */
  readonly results: Readonly<Record<string, string>> | null
}
export type Entry = UserEntry | AnswerEntry
export type Column = readonly Entry[]

export function lastRun(column: Column | undefined): Run | undefined {
  const last = column?.findLast((entry) => entry.kind === 'answer')
  return last?.run
}

export function runsOf(column: Column): Run[] {
  return column.flatMap((entry) => (entry.kind === 'answer' ? [entry.run] : []))
}

export function isActive(run: Run | undefined): boolean {
  return run?.state === 'waiting' || run?.state === 'streaming'
}

export function before(column: Column = [], id: number): Column {
  return column.slice(0, placeOf(column, id))
}

export function through(column: Column = [], id: number): Column {
  return column.slice(0, placeOf(column, id) + 1)
}

export function without(column: Column = [], id: number): Column {
  const at = placeOf(column, id)
  const next = column.findIndex(({ kind }, place) => place > at && kind === 'user')
  const answersEnd = next === -1 ? column.length : next
  const end = column[at]?.kind === 'user' ? answersEnd : at + 1
  return [...column.slice(0, at), ...column.slice(end)]
}

/** Behind the end if the column does not have the entry. */
function placeOf(column: Column, id: number): number {
  const at = column.findIndex((entry) => entry.id === id)
  return at === -1 ? column.length : at
}

/** Whether the last answer is whole and waits for no result of a tool. */
export function canContinue(column: Column): boolean {
  const last = column.at(-1)
  if (last === undefined || last.kind === 'user') return true
  return last.run.state === 'complete' && last.run.reply.calls.length === 0
}

export function dropOldEvents(entries: Column): Column {
  for (const run of runsOf(entries).slice(0, -RUNS_WITH_EVENTS_MAX))
    if (run.events.kept.length > 0) run.events = createEventLog()
  return entries
}

/** The conversation as the API takes it. An answer without any content is left out. */
export function messagesOf(entries: Column): Message[] {
  return entries.flatMap((entry): Message[] =>
    entry.kind === 'user' ? [{ role: 'user', content: entry.text }] : messagesOfAnswer(entry),
  )
}

function messagesOfAnswer({ run, results }: AnswerEntry): Message[] {
  const { reasoning, text, calls } = run.reply
  // Calls without results cannot be sent back: a stopped answer keeps its text only.
  const answered = results === null ? [] : calls.filter((call) => call.id in results)
  if (text === '' && answered.length === 0) return []
  return [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      ...((reasoning !== '' || answered.length > 0) && { reasoning_content: reasoning }),
      ...(answered.length > 0 && {
        tool_calls: answered.map(({ id, name, arguments: written }) => ({
          id,
          type: 'function' as const,
          function: { name, arguments: written },
        })),
      }),
    },
    ...answered.map(({ id }) => ({
      role: 'tool' as const,
      tool_call_id: id,
      content: results?.[id] ?? '',
    })),
  ]
}
