import { createEventLog } from './stream/event-log.ts'
import { startRun, type Run, type Target } from './stream/run.ts'
import type { ChatBody, Message, Texts } from './setup/chat-body.ts'

// The conversation lives in the memory of this tab: it survives a visit to another page and a new
// sign-in of the same person, and is in no storage. Whoever else signs in does not get it.

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

/** What sending needs; the page keeps it up to date. */
export type Sending = {
  readonly bodyOf: (column: number, messages: readonly Message[]) => ChatBody
  readonly target: Target
  /** One model, or two side by side. */
  readonly columns: 1 | 2
}

export type TalkState = Texts & {
  readonly columns: readonly [Column, Column]
  readonly draft: string
  /** A message that is sent when the running answer ends. */
  readonly queued: string | null
}

export type Talk = ReturnType<typeof createTalk>

const EMPTY: TalkState = {
  columns: [[], []],
  draft: '',
  queued: null,
  system: '',
  tools: [],
  schema: null,
}

export function createTalk(start: Partial<TalkState> = {}) {
  let state: TalkState = { ...EMPTY, ...start }
  let sending: Sending | undefined
  let lastId = 0
  const listeners = new Set<() => void>()

  const change = (part: Partial<TalkState>) => {
    state = { ...state, ...part }
    for (const listener of listeners) listener()
  }
  const setColumn = (index: number, entries: Column) => {
    const columns = state.columns.with(index, dropOldEvents(entries)) as [Column, Column]
    change({ columns })
  }
  const isRunning = () => state.columns.some((column) => isActive(lastRun(column)))

  const request = (index: number, entries: Column) => {
    if (sending === undefined) return
    const run = startRun(sending.bodyOf(index, messagesOf(entries)), sending.target)
    setColumn(index, [...entries, { kind: 'answer', id: (lastId += 1), run, results: null }])
    void run.ended.then(afterEnd)
  }
  const afterEnd = () => {
    if (isRunning()) return
    const { queued } = state
    const columns = state.columns.slice(0, sending?.columns ?? 1)
    const allComplete = columns.every((column) => canContinue(column))
    if (queued === null) return change({})
    change({ queued: null, ...(!allComplete && { draft: queued }) })
    if (allComplete) send(queued)
  }
  const send = (text: string) => {
    if (isRunning()) return change({ queued: text, draft: '' })
    change({ draft: '' })
    for (let index = 0; index < (sending?.columns ?? 1); index += 1)
      request(index, [...(state.columns[index] ?? []), { kind: 'user', id: (lastId += 1), text }])
  }
  return {
    get state() {
      return state
    },
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    prepare(next: Sending) {
      sending = next
    },
    change,
    send,
    isRunning,
    stop() {
      for (const column of state.columns) lastRun(column)?.stop()
    },
    /** The same request once more; what failed is dropped. */
    again(index: number) {
      request(index, (state.columns[index] ?? []).slice(0, -1))
    },
    answerCalls(index: number, id: number, results: Readonly<Record<string, string>>) {
      const entries = (state.columns[index] ?? []).map((entry) =>
        entry.id === id && entry.kind === 'answer' ? { ...entry, results } : entry,
      )
      request(index, entries)
    },
    clear() {
      for (const column of state.columns) lastRun(column)?.stop()
      change({ columns: [[], []], queued: null })
    },
  }
}

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

/** Whether the last answer is whole and waits for no result of a tool. */
function canContinue(column: Column): boolean {
  const last = column.at(-1)
  if (last === undefined || last.kind === 'user') return true
  return last.run.state === 'complete' && last.run.reply.calls.length === 0
}

function dropOldEvents(entries: Column): Column {
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

let current: { readonly of: string; readonly talk: Talk } | undefined

/** The conversation of a person in an organization; that of anybody else is dropped. */
export function talkOf(account: string, organization: string): Talk {
  const of = `${account}/${organization}`
  if (current?.of !== of) {
    current?.talk.clear()
    current = { of, talk: createTalk() }
  }
  return current.talk
}
