import { oneOf, present, textOf, type RawSearch } from '../../shell/search.ts'

export const TABS = ['timeline', 'events', 'code', 'headers'] as const
export type ProbeTab = (typeof TABS)[number]
export const FORMATS = ['text', 'json_object', 'json_schema'] as const

/** The settings in the address, by the API's own names. Messages are never part of it. */
export function readPlaygroundSearch(search: RawSearch) {
  return present({
    project: textOf(search['project']),
    model: textOf(search['model']),
    compare: textOf(search['compare']),
    reasoning_effort: textOf(search['reasoning_effort']),
    temperature: textOf(search['temperature']),
    top_p: textOf(search['top_p']),
    max_completion_tokens: textOf(search['max_completion_tokens']),
    frequency_penalty: textOf(search['frequency_penalty']),
    presence_penalty: textOf(search['presence_penalty']),
    seed: textOf(search['seed']),
    stop: textOf(search['stop']),
    tool_choice: textOf(search['tool_choice']),
    parallel_tool_calls: oneOf(search['parallel_tool_calls'], ['true', 'false']),
    format: oneOf(search['format'], FORMATS),
    // Only in links that somebody copied: the page takes them over and removes them.
    tools: textOf(search['tools']),
    schema: textOf(search['schema']),
    tab: oneOf(search['tab'], TABS),
  })
}
export type PlaygroundSearch = ReturnType<typeof readPlaygroundSearch>
