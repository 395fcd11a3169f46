/** What a client asked for, as far as it changes the form of its stream. */
export type Form = { readonly withUsage: boolean; readonly obfuscated: boolean }

/** A valid stream is whole or ends with an error. Anything else is invalid. */
export type Verdict =
  | { readonly kind: 'whole'; readonly received: Received }
  | { readonly kind: 'failed' }
  | { readonly kind: 'invalid'; readonly why: string }

/** The content of a stream or a JSON answer. */
export type Received = {
  content: string
  reasoning: string
  readonly calls: { readonly name: string; text: string }[]
}

type State = {
  phase: 'waiting' | 'streaming' | 'finished' | 'counted' | 'done' | 'failed'
  readonly form: Form
  readonly received: Received
  head: string
  answering: boolean
}

type Wire = Record<string, unknown>

class Violation extends Error {
  override readonly name = 'Violation'
}

function check(holds: boolean, why: string): asserts holds {
  if (!holds) throw new Violation(why)
}

function hasMembers(value: Wire, sorted: readonly string[]): boolean {
  return Object.keys(value).toSorted().join() === sorted.join()
}

function judge(read: () => Verdict): Verdict {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Violation)) throw error
    return { kind: 'invalid', why: error.message }
  }
}

/** Judges a whole stream by the lifecycle that docs/specification.md promises to clients. */
export function judgeStream(text: string, form: Form): Verdict {
  const received: Received = { content: '', reasoning: '', calls: [] }
  const state: State = { phase: 'waiting', form, received, head: '', answering: false }
  return judge(() => {
    check(text.endsWith('\n\n'), 'ends within an event')
    for (const event of text.slice(0, -2).split('\n\n')) readEvent(state, event)
    if (state.phase === 'failed') return { kind: 'failed' }
    check(state.phase === 'done', `ends while ${state.phase}, without an error`)
    return { kind: 'whole', received }
  })
}

function readEvent(state: State, event: string): void {
  check(!/[\n\r]/.test(event), 'an event of more than one line')
  if (event.startsWith(': ')) return
  check(event.startsWith('data: '), 'a line that is neither data nor a comment')
  check(state.phase !== 'done', 'an event after the end marker')
  check(state.phase !== 'failed', 'an event after an error')
  const data = event.slice('data: '.length)
  if (data === '[DONE]') {
    const last = state.form.withUsage ? 'counted' : 'finished'
    check(state.phase === last, `an end marker while ${state.phase}`)
    state.phase = 'done'
    return
  }
  const value = parse(data)
  if ('error' in value) {
    check(hasMembers(value, ['error']), 'an error with other members beside it')
    const members = ['code', 'message', 'param', 'type']
    check(hasMembers(value['error'] as Wire, members), 'an error of another shape')
    state.phase = 'failed'
  } else readChunk(state, value)
}

function parse(data: string): Wire {
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {
    throw new Violation('data that is not JSON')
  }
  check(typeof value === 'object' && value !== null, 'data that is no object')
  return value as Wire
}

const CHUNK_MEMBERS = ['choices', 'created', 'id', 'model', 'object', 'usage']

function readChunk(state: State, chunk: Wire): void {
  const { withUsage, obfuscated } = state.form
  const members = obfuscated ? [...CHUNK_MEMBERS, 'obfuscation'] : CHUNK_MEMBERS
  check(hasMembers(chunk, members.toSorted()), 'a chunk with other members')
  const { id, created, model, choices, usage } = chunk
  const head = `${String(id)} ${String(created)} ${String(model)}`
  check(state.head === '' || state.head === head, 'a chunk with another id, time or model')
  state.head = head
  check(Array.isArray(choices), 'choices that are no list')
  if (choices.length === 0) {
    check(state.phase === 'finished' && withUsage, `usage while ${state.phase}`)
    checkUsage(usage)
    state.phase = 'counted'
    return
  }
  check(choices.length === 1 && usage === null, 'usage in a chunk with a choice')
  const choice = choices[0] as Wire
  check(hasMembers(choice, ['delta', 'finish_reason', 'index']), 'a choice with other members')
  check(choice['index'] === 0, 'another choice')
  readDelta(state, choice['delta'] as Wire, choice['finish_reason'])
}

const REASONS = ['stop', 'tool_calls', 'length', 'content_filter']

function readDelta(state: State, delta: Wire, finish: unknown): void {
  const members = Object.keys(delta)
  if (state.phase === 'waiting') {
    const { role, reasoning_content: reasoning = '', ...more } = delta
    const alone = reasoning === '' && Object.keys(more).length === 0
    check(role === 'assistant' && alone, 'no role first')
    check(finish === null, 'a finish with the role')
    state.phase = 'streaming'
    return
  }
  check(state.phase === 'streaming', `a choice while ${state.phase}`)
  if (finish !== null) {
    check(members.length === 0, 'a finish with a delta')
    check(REASONS.includes(finish as string), 'an unknown finish reason')
    const called = state.received.calls.length > 0
    check(finish !== 'stop' || !called, 'a stop after calls')
    check(finish !== 'tool_calls' || called, 'a finish for calls without any')
    state.phase = 'finished'
    return
  }
  check(members.length === 1, 'a delta with several members, or none')
  readMember(state, delta)
}

function readMember(state: State, delta: Wire): void {
  const { content, reasoning_content: reasoning, tool_calls: calls } = delta
  if (typeof reasoning === 'string') {
    check(!state.answering, 'reasoning after the answer began')
    state.received.reasoning += reasoning
    return
  }
  state.answering = true
  if (typeof content === 'string') {
    check(content !== '', 'an empty piece of the answer')
    state.received.content += content
  } else {
    check(Array.isArray(calls) && calls.length === 1, 'a delta of another kind')
    readCall(state.received.calls, calls[0] as Wire)
  }
}

function readCall(calls: Received['calls'], fragment: Wire): void {
  const { index, id, type, function: called } = fragment
  const { name, arguments: text } = called as Wire
  check(typeof text === 'string', 'arguments that are no text')
  if (id === undefined) {
    const call = calls[index as number]
    check(call !== undefined, 'a fragment of a call that was not opened')
    const alone =
      hasMembers(fragment, ['function', 'index']) && hasMembers(called as Wire, ['arguments'])
    check(alone, 'a fragment with other members')
    call.text += text
    return
  }
  check(index === calls.length, 'calls out of order')
  check(/^call_[0-9a-f]{24}$/.test(id as string), 'a call id of another form')
  check(type === 'function', 'a call of another type')
  check(typeof name === 'string' && name !== '', 'a call without a name')
  calls.push({ name, text })
}

function checkUsage(usage: unknown): void {
  check(typeof usage === 'object' && usage !== null, 'no usage')
  const details = usage as Record<string, Record<string, unknown> | undefined>
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = details
  const cached = details['prompt_tokens_details']?.['cached_tokens']
  const reasoning = details['completion_tokens_details']?.['reasoning_tokens']
  for (const count of [prompt, completion, total, cached, reasoning])
    check(Number.isSafeInteger(count) && Number(count) >= 0, 'a count that is no natural number')
  check(Number(total) === Number(prompt) + Number(completion), 'a wrong total')
  check(Number(cached) <= Number(prompt), 'more tokens cached than prompted')
  check(Number(reasoning) <= Number(completion), 'more tokens of reasoning than generated')
}

/** Judges a JSON answer by the same rules. */
export function judgeAnswer(body: string): Verdict {
  return judge(() => {
    const { choices, usage } = parse(body) as { choices: Wire[]; usage: unknown }
    checkUsage(usage)
    const [choice] = choices
    check(choice !== undefined, 'an answer without a choice')
    const { content, reasoning_content: reasoning = '', tool_calls } = choice['message'] as Wire
    const calls = (tool_calls ?? []) as { function: { name: string; arguments: string } }[]
    check(REASONS.includes(choice['finish_reason'] as string), 'an unknown finish reason')
    check(content === null || typeof content === 'string', 'content that is no text')
    check(typeof reasoning === 'string', 'reasoning that is no text')
    const named = calls.map((call) => ({ name: call.function.name, text: call.function.arguments }))
    return { kind: 'whole', received: { content: content ?? '', reasoning, calls: named } }
  })
}
