import { saveFile } from '../../../parts/save-file.ts'
import type { Column, Entry } from '../columns.ts'
import type { PlaygroundSearch } from '../search.ts'
import type { TalkState } from '../talk.ts'
import type { SavedAnswer, SavedConversation } from './saved-schema.ts'

const INDENT = 2

type Saved = SavedConversation['conversations'][number][number]

/** Saves settings and messages as a file that can be opened again. */
export function saveConversation(search: PlaygroundSearch, state: TalkState): void {
  const saved = savedOf(search, state)
  const text = `${JSON.stringify(saved, null, INDENT)}\n`
  saveFile('conversation.json', text, 'application/json')
}

export function savedOf(
  { project: _project, tab: _tab, tools: _tools, schema: _schema, ...settings }: PlaygroundSearch,
  { columns, system, tools, schema }: Pick<TalkState, 'columns' | 'system' | 'tools' | 'schema'>,
): SavedConversation {
  const isCompared = settings.compare !== undefined
  const shown: readonly Column[] = isCompared ? columns : columns.slice(0, 1)
  return {
    format: 'headrace-conversation-1',
    settings,
    system,
    tools: [...tools],
    schema,
    conversations: shown.map((column) => column.map(turnOf)),
  }
}

function turnOf(entry: Entry): Saved {
  if (entry.kind === 'user') return { role: 'user', content: entry.text }
  const { run, results } = entry
  const { reply, timing, state } = run
  return {
    role: 'assistant',
    model: run.body.model,
    content: reply.text,
    reasoning_content: reply.reasoning,
    tool_calls: reply.calls.map((call) => ({ ...call })),
    results: results === null ? null : { ...results },
    request_id: run.requestId,
    status: run.status,
    // The file has what there was: an answer that was still running ended there.
    state: state === 'waiting' || state === 'streaming' ? 'stopped' : state,
    finish_reason: reply.finish,
    usage: reply.usage,
    ...timesOf(timing),
  }
}

function timesOf({
  firstAt,
  lastAt,
  endedAt,
}: {
  readonly firstAt: number | null
  readonly lastAt: number | null
  readonly endedAt: number | null
}): Pick<SavedAnswer, 'first_ms' | 'last_ms' | 'ended_ms'> {
  return { first_ms: firstAt, last_ms: lastAt, ended_ms: endedAt }
}
