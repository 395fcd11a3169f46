import { Check } from 'typebox/schema'
import { messagesOf, type Column, type Entry } from '../columns.ts'
import { readPlaygroundSearch, type PlaygroundSearch } from '../search.ts'
import { chatBodyOf, type Texts } from '../setup/chat-body.ts'
import { readSchema, readTool } from '../setup/read-json.ts'
import { restoreRun } from '../stream/restore-run.ts'
import { SavedConversation } from './saved-schema.ts'

export type Opened = {
  readonly search: PlaygroundSearch
  readonly texts: Texts
  readonly columns: readonly [Column, Column]
}

/** What a file has; undefined if "Save as file" did not write it. Loaded when it is needed. */
export function readSaved(text: string): Opened | undefined {
  const saved = parse(text)
  if (!Check(SavedConversation, saved)) return undefined
  const search = readPlaygroundSearch(saved.settings)
  const texts = textsOf(saved)
  if (texts === undefined) return undefined
  const [one = [], two = []] = saved.conversations.map((turns) => columnOf(turns, search, texts))
  return { search, texts, columns: [one, two] }
}

function textsOf({ system, tools, schema }: SavedConversation): Texts | undefined {
  const functions = tools.map((tool) => readTool(JSON.stringify(tool)).value)
  const format = schema === null ? null : readSchema(JSON.stringify(schema)).value
  if (format === undefined || functions.includes(undefined)) return undefined
  return { system, tools: functions.filter((tool) => tool !== undefined), schema: format }
}

function columnOf(
  turns: SavedConversation['conversations'][number],
  search: PlaygroundSearch,
  texts: Texts,
): Column {
  const entries: Entry[] = []
  for (const turn of turns) {
    if (turn.role === 'user') {
      entries.push({ kind: 'user', id: 0, text: turn.content })
      continue
    }
    const body = chatBodyOf(turn.model, search, texts, messagesOf(entries))
    entries.push({ kind: 'answer', id: 0, run: restoreRun(turn, body), results: turn.results })
  }
  return entries
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
