/** What a client asked for, as far as it changes the form of its stream. */
export type Asked = { readonly withUsage: boolean; readonly obfuscated: boolean }

/** A stream that keeps the rules is whole or says that it failed. Anything else is a fault. */
export type Verdict =
  | { readonly kind: 'whole'; readonly told: Told }
  | { readonly kind: 'failed'; readonly code: string | null }
  | { readonly kind: 'fault'; readonly why: string }

/** What a stream or a JSON answer says, so that two of them can be compared. */
export type Told = {
  content: string
  reasoning: string
  readonly calls: { readonly name: string; text: string }[]
  finish: string
}

type State = {
  phase: 'waiting' | 'streaming' | 'finished' | 'counted' | 'done' | 'failed'
  readonly asked: Asked
  readonly told: Told
  head: string
  answering: boolean
  code: string | null
}

type Wire = Record<string, unknown>

class Breach extends Error {
  override readonly name = 'Breach'
}

function require(holds: boolean, why: string): asserts holds {
  if (!holds) throw new Breach(why)
}

/** Judges a whole stream by the lifecycle that docs/specification.md promises to clients. */
export function judgeStream(text: string, asked: Asked): Verdict {
  const told: Told = { content: '', reasoning: '', calls: [], finish: '' }
  const common = { head: '', answering: false, code: null }
  const state: State = { phase: 'waiting', asked, told, ...common }
  try {
    require(text.endsWith('\n\n'), 'ends within an event')
    for (const event of text.slice(0, -2).split('\n\n')) readEvent(state, event)
    if (state.phase === 'failed') return { kind: 'failed', code: state.code }
    require(state.phase === 'done', `ends while ${state.phase}, without an error`)
    return { kind: 'whole', told }
  } catch (error) {
    if (!(error instanceof Breach)) throw error
    return { kind: 'fault', why: error.message }
  }
}

function readEvent(state: State, event: string): void {
  require(!/[\n\r]/.test(event), 'an event of more than one line')
  if (event.startsWith(': ')) return
  require(event.startsWith('data: '), 'a line that is neither data nor a comment')
  require(state.phase !== 'done', 'something after the end marker')
  require(state.phase !== 'failed', 'something after an error')
  const data = event.slice('data: '.length)
  if (data === '[DONE]') {
    const last = state.asked.withUsage ? 'counted' : 'finished'
    require(state.phase === last, `an end marker while ${state.phase}`)
    state.phase = 'done'
    return
  }
  const value = parse(data)
  if ('error' in value) readError(state, value)
  else readChunk(state, value)
}

function parse(data: string): Wire {
  try {
    const value = JSON.parse(data) as unknown
    require(typeof value === 'object' && value !== null, 'data that is no object')
    return value as Wire
  } catch (error) {
    throw error instanceof Breach ? error : new Breach('data that is not JSON')
  }
}

function readError(state: State, value: Wire): void {
  require(hasMembers(value, ['error']), 'an error with company')
  const error = value['error'] as Wire
  require(hasMembers(error, ['code', 'message', 'param', 'type']), 'an error of another shape')
  state.phase = 'failed'
  state.code = error['code'] as string | null
}

const CHUNK_MEMBERS = ['choices', 'created', 'id', 'model', 'object', 'usage']

function readChunk(state: State, chunk: Wire): void {
  const { obfuscated } = state.asked
  const members = obfuscated ? [...CHUNK_MEMBERS, 'obfuscation'] : CHUNK_MEMBERS
  require(hasMembers(chunk, members.toSorted()), 'a chunk of other members')
  const { id, created, model, choices, usage } = chunk
  const head = `${String(id)} ${String(created)} ${String(model)}`
  require(state.head === '' || state.head === head, 'a chunk with another head')
  state.head = head
  require(Array.isArray(choices), 'choices that are no list')
  if (choices.length === 0) {
    require(state.phase === 'finished' && state.asked.withUsage, `usage while ${state.phase}`)
    judgeUsage(usage)
    state.phase = 'counted'
    return
  }
  require(choices.length === 1 && usage === null, 'usage in a chunk of the choice')
  const choice = choices[0] as Wire
  require(hasMembers(choice, ['delta', 'finish_reason', 'index']), 'a choice of other members')
  require(choice['index'] === 0, 'another choice')
  readDelta(state, choice['delta'] as Wire, choice['finish_reason'])
}

const REASONS = ['stop', 'tool_calls', 'length', 'content_filter']

function readDelta(state: State, delta: Wire, finish: unknown): void {
  const members = Object.keys(delta)
  if (state.phase === 'waiting') {
    const { role, reasoning_content: none = '', ...more } = delta
    const alone = none === '' && Object.keys(more).length === 0
    require(role === 'assistant' && alone, 'no role first')
    require(finish === null, 'a finish with the role')
    state.phase = 'streaming'
    return
  }
  require(state.phase === 'streaming', `a chunk of the choice while ${state.phase}`)
  if (finish !== null) {
    require(members.length === 0, 'a finish with a delta')
    require(REASONS.includes(finish as string), 'a finish that is none')
    const called = state.told.calls.length > 0
    require(finish !== 'stop' || !called, 'a stop after calls')
    require(finish !== 'tool_calls' || called, 'a finish for calls without any')
    state.told.finish = finish as string
    state.phase = 'finished'
    return
  }
  require(members.length === 1, 'a delta of several members, or none')
  readMember(state, delta)
}

function readMember(state: State, delta: Wire): void {
  const { content, reasoning_content: reasoning, tool_calls: calls } = delta
  if (typeof reasoning === 'string') {
    require(!state.answering, 'reasoning after the answer began')
    state.told.reasoning += reasoning
  } else if (typeof content === 'string') {
    require(content !== '', 'an empty piece of the answer')
    state.answering = true
    state.told.content += content
  } else {
    require(Array.isArray(calls) && calls.length === 1, 'a delta of another kind')
    state.answering = true
    readCall(state.told.calls, calls[0] as Wire)
  }
}

function readCall(calls: Told['calls'], fragment: Wire): void {
  const { index, id, type, function: told } = fragment
  const { name, arguments: text } = told as Wire
  require(typeof text === 'string', 'arguments that are no text')
  if (id === undefined) {
    const call = calls[index as number]
    require(call !== undefined, 'a piece of a call that was not opened')
    require(hasMembers(fragment, ['function', 'index']), 'a piece of other members')
    require(hasMembers(told as Wire, ['arguments']), 'a piece of other members')
    call.text += text
    return
  }
  require(index === calls.length, 'calls out of order')
  require(/^call_[0-9a-f]{24}$/.test(id as string), 'a call id of another form')
  require(type === 'function', 'an opening of another form')
  require(typeof name === 'string' && name !== '', 'a call without a name')
  calls.push({ name, text })
}

function judgeUsage(usage: unknown): void {
  require(typeof usage === 'object' && usage !== null, 'no usage')
  const {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: total,
  } = usage as Wire
  const details = usage as Record<string, Wire | undefined>
  const cached = details['prompt_tokens_details']?.['cached_tokens']
  const reasoning = details['completion_tokens_details']?.['reasoning_tokens']
  for (const count of [prompt, completion, total, cached, reasoning])
    require(Number.isSafeInteger(count) && (count as number) >= 0, 'a count that is none')
  require(total === (prompt as number) + (completion as number), 'a total that is none')
  require((cached as number) <= (prompt as number), 'more cached than prompted')
  require((reasoning as number) <= (completion as number), 'more reasoned than generated')
}

/** Judges a JSON answer by the same rules. */
export function judgeAnswer(body: string): Verdict {
  try {
    const { choices, usage } = parse(body) as { choices: Wire[]; usage: unknown }
    judgeUsage(usage)
    const [choice] = choices
    require(choice !== undefined, 'an answer without a choice')
    const { content, reasoning_content, tool_calls } = choice['message'] as Wire
    const calls = ((tool_calls ?? []) as { function: { name: string; arguments: string } }[]).map(
      ({ function: { name, arguments: text } }) => ({ name, text }),
    )
    const finish = choice['finish_reason'] as string
    require(REASONS.includes(finish), 'a finish that is none')
    require(content === null || typeof content === 'string', 'content that is no text')
    require(reasoning_content === undefined ||
      typeof reasoning_content === 'string', 'no reasoning')
    const reasoning = reasoning_content ?? ''
    return { kind: 'whole', told: { content: content ?? '', reasoning, calls, finish } }
  } catch (error) {
    if (!(error instanceof Breach)) throw error
    return { kind: 'fault', why: error.message }
  }
}

function hasMembers(value: Wire, sorted: readonly string[]): boolean {
  return Object.keys(value).toSorted().join() === sorted.join()
}
