/** The assistant's message of a step that calls tools. */
export type Step = {
  readonly role: 'assistant'
  readonly content: string | null
  readonly reasoning_content?: string
  readonly tool_calls: readonly Call[]
}

type Call = {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

/** How a client sends a step back. */
export type Echo = {
  readonly name: string
  of(step: Step): Step
  /** Whether reasoning comes back with it, be it empty. */
  keeps(step: Step): boolean
}

function withoutReasoning({ reasoning_content: _dropped, ...rest }: Step): Step {
  return rest
}

const always = () => true
const never = () => false

export const ECHOES: readonly Echo[] = [
  { name: 'sent back as it came', of: (step) => step, keeps: always },
  {
    name: 'echoed like the openai SDK, which drops reasoning',
    of: withoutReasoning,
    keeps: never,
  },
  {
    name: 'echoed like the AI SDK, which keeps reasoning but not an empty one',
    of: (step) => ({
      ...(step.reasoning_content === '' ? withoutReasoning(step) : step),
      content: step.content ?? '',
    }),
    keeps: (step) => step.reasoning_content !== '',
  },
  {
    name: 'echoed like LangChain, which rebuilds the message without reasoning',
    of: (step) => ({ ...withoutReasoning(step), content: step.content ?? '' }),
    keeps: never,
  },
  {
    name: 'echoed with empty reasoning',
    of: (step) => ({ ...step, reasoning_content: '' }),
    keeps: always,
  },
]

const flipped = (id: string, at: number) =>
  `${id.slice(0, at)}${id.charAt(at) === '0' ? '1' : '0'}${id.slice(at + 1)}`

/** The prefix of our ids, behind which their random part begins. */
const RANDOM_AT = 'call_'.length

export type Forgery = { readonly name: string; of(call: Call): Call }

/** Ids that look like marked ones. */
export const FORGERIES: readonly Forgery[] = [
  {
    name: 'a mark changed at its end',
    of: (call) => ({ ...call, id: flipped(call.id, -1 + call.id.length) }),
  },
  { name: 'a mark on another nonce', of: (call) => ({ ...call, id: flipped(call.id, RANDOM_AT) }) },
  {
    name: 'a mark in capitals',
    of: (call) => ({ ...call, id: `call_${call.id.slice(RANDOM_AT).toUpperCase()}x` }),
  },
  { name: 'a mark with more behind it', of: (call) => ({ ...call, id: `${call.id}0` }) },
  {
    name: 'an id of the form of another service',
    of: (call) => ({ ...call, id: 'call_abcdefghijklmnopqrstuvwx' }),
  },
  { name: 'no id to speak of', of: (call) => ({ ...call, id: '0' }) },
]
