/** The assistant's message of a step that calls tools. */
export type Step = {
  readonly role: 'assistant'
  readonly content: string | null
  readonly reasoning_content?: string
  readonly tool_calls: readonly Call[]
}

export type Call = {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

/** How a client sends a step back. */
type Echo = {
  readonly name: string
  of(step: Step): Step
  /** Whether it includes the reasoning, even if empty. */
  keeps(step: Step): boolean
}

export function withoutReasoning({ reasoning_content: _dropped, ...rest }: Step): Step {
  return rest
}

const always = () => true
const never = () => false

export const ECHOES: readonly Echo[] = [
  { name: 'unchanged', of: (step) => step, keeps: always },
  { name: 'like the openai SDK, which drops reasoning', of: withoutReasoning, keeps: never },
  {
    name: 'like the AI SDK, which keeps reasoning unless it is empty',
    of: (step) => ({
      ...(step.reasoning_content === '' ? withoutReasoning(step) : step),
      content: step.content ?? '',
    }),
    keeps: (step) => step.reasoning_content !== '',
  },
  {
    name: 'like LangChain, which rebuilds the message without reasoning',
    of: (step) => ({ ...withoutReasoning(step), content: step.content ?? '' }),
    keeps: never,
  },
  {
    name: 'with empty reasoning',
    of: (step) => ({ ...step, reasoning_content: '' }),
    keeps: always,
  },
]

const flip = (id: string, at: number) =>
  `${id.slice(0, at)}${id.charAt(at) === '0' ? '1' : '0'}${id.slice(at + 1)}`

/** Our ids have a prefix, then a random part. */
const RANDOM_AT = 'call_'.length

/** Call ids that look like marked ones. */
export const FORGERIES: readonly { readonly name: string; of(id: string): string }[] = [
  { name: 'a mark changed at its end', of: (id) => flip(id, id.length - 1) },
  { name: 'a mark on another nonce', of: (id) => flip(id, RANDOM_AT) },
  {
    name: 'a mark in capitals',
    of: (id) => `call_${id.slice(RANDOM_AT).toUpperCase()}x`,
  },
  { name: 'a mark with an appended character', of: (id) => `${id}0` },
  { name: 'an id in the form of another service', of: () => 'call_abcdefghijklmnopqrstuvwx' },
  { name: 'an id without a mark', of: () => '0' },
]
