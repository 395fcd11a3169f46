import { startRun, type Target } from './stream/run.ts'
import {
  before,
  canContinue,
  dropOldEvents,
  isActive,
  lastRun,
  messagesOf,
  runsOf,
  through,
  without,
  type Column,
  type UserEntry,
} from './columns.ts'
import { askBeforeLeaving } from '../../shell/leave-document.ts'
import type { ChatBody, Message, Texts } from './setup/chat-body.ts'

// The conversation lives in the memory of this tab: it survives a visit to another page and a new
// sign-in of the same person, and is in no storage. Whoever else signs in does not get it.

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
  const nextId = () => (lastId += 1)
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
    setColumn(index, [...entries, { kind: 'answer', id: nextId(), run, results: null }])
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
      request(index, [...(state.columns[index] ?? []), { kind: 'user', id: nextId(), text }])
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
    ...editsOf({ state: () => state, setColumn, request, change, nextId }),
  }
}

/** What people change in a conversation. Each returns the function that takes it back. */
function editsOf(talk: {
  readonly state: () => TalkState
  readonly setColumn: (index: number, entries: Column) => void
  readonly change: (part: Partial<TalkState>) => void
  readonly request: (index: number, entries: Column) => void
  readonly nextId: () => number
}) {
  const replaceColumns = (columns: TalkState['columns']) => {
    const kept = new Set(columns.flatMap(runsOf))
    for (const run of talk.state().columns.flatMap(runsOf))
      if (!kept.has(run) && isActive(run)) run.stop()
    talk.change({ columns, queued: null })
  }
  const undoable = (work: (columns: TalkState['columns']) => void): (() => void) => {
    const { columns } = talk.state()
    work(columns)
    return () => replaceColumns(columns)
  }
  return {
    /** Asks for an answer once more; what followed it is dropped. */
    regenerate: (index: number, id: number) =>
      undoable((columns) => talk.request(index, before(columns[index], id))),
    /** Sends a message with another text; what followed it is dropped. */
    edit: (index: number, id: number, text: string) =>
      undoable((columns) => {
        const entry: UserEntry = { kind: 'user', id: talk.nextId(), text }
        talk.request(index, [...before(columns[index], id), entry])
      }),
    /** Removes an answer, or a message with the answers to it. */
    remove: (index: number, id: number) =>
      undoable((columns) => talk.setColumn(index, without(columns[index], id))),
    /** The other column goes on from here. */
    branch: (index: number, id: number) =>
      undoable((columns) => talk.setColumn(1 - index, through(columns[index], id))),
    /** Another conversation, with its system message, tools and schema. */
    open: (columns: TalkState['columns'], texts: Texts) => {
      const { system, tools, schema } = talk.state()
      const undo = undoable(() => {
        talk.change(texts)
        replaceColumns(numbered(columns, talk.nextId))
      })
      return () => {
        talk.change({ system, tools, schema })
        undo()
      }
    },
    clear: () => undoable(() => replaceColumns([[], []])),
  }
}

function numbered(columns: TalkState['columns'], nextId: () => number): TalkState['columns'] {
  const [one, two] = columns.map((column) => column.map((each) => ({ ...each, id: nextId() })))
  return [one ?? [], two ?? []]
}

export function isEmpty({ columns }: TalkState): boolean {
  return columns.every((column) => column.length === 0)
}

let current: { readonly of: string; readonly talk: Talk } | undefined

/** The conversation of a person in an organization; that of anybody else is dropped. */
export function talkOf(account: string, organization: string): Talk {
  const of = `${account}/${organization}`
  if (current?.of !== of) {
    current?.talk.clear()
    const talk = createTalk()
    talk.subscribe(() => askBeforeLeaving(!isEmpty(talk.state)))
    current = { of, talk }
  }
  return current.talk
}

/** A request that the conversation of this person still has. */
export function findRun(account: string, organization: string, requestId: string) {
  if (current?.of !== `${account}/${organization}`) return undefined
  const { columns } = current.talk.state
  return columns.flatMap(runsOf).find((run) => run.requestId === requestId)
}
