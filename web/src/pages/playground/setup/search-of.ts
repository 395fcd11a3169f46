import { present } from '../../../shell/search.ts'
import type { PlaygroundSearch } from '../search.ts'
import type { ChatBody } from './chat-body.ts'
import { NUMBER_NAMES } from './parameters.ts'

/** The settings of a request as the address has them; the reverse of `chatBodyOf`. */
export function searchOf(body: ChatBody): PlaygroundSearch {
  const { tool_choice: choice, parallel_tool_calls: parallel, stop } = body
  const numbers = NUMBER_NAMES.map((name) => [name, body[name]?.toString()] as const)
  const lines = typeof stop === 'string' ? [stop] : stop
  return present({
    model: body.model,
    reasoning_effort: body.reasoning_effort ?? undefined,
    ...Object.fromEntries(numbers),
    stop: lines?.join('\n'),
    tool_choice: typeof choice === 'object' ? choice?.function.name : choice,
    parallel_tool_calls: parallel === undefined ? undefined : parallel ? 'true' : 'false',
    format: body.response_format?.type,
  })
}
