import type { Message } from '../../../contract/chat-message.ts'
import type { ChatRequest } from '../../../contract/chat-request.ts'
import {
  measurePrompt,
  promptTokensMaxOf,
  type TemplateCost,
} from '../../../contract/prompt-bound.ts'
import { EngineError, unlessRefused, type Engine } from '../engine.ts'
import { keepText } from '../neutralise.ts'

/** About forty counts of a few milliseconds each. */
const TIMEOUT_MS = 30_000

type Prompt = Pick<ChatRequest, 'messages' | 'tools'>

const NOTHING: TemplateCost = { conversation: 0, message: 0, separator: 0, tools: 0, tool: 0 }

/** Dates and the like vary, and short texts can merge with those of a template. */
const SPARE: TemplateCost = { conversation: 32, message: 4, separator: 1, tools: 32, tool: 4 }

const SYSTEM: Message = { role: 'system', content: 'a' }
const USER: Message = { role: 'user', content: 'a' }
const ASSISTANT: Message = { role: 'assistant', content: 'a' }
const REASONED: Message = { ...ASSISTANT, reasoning_content: 'a' }
/** Mistral's templates accept only ids of nine letters and digits. */
const CALL_ID = 'call00001'
const RESULT: Message = { role: 'tool', tool_call_id: CALL_ID, content: 'a' }
const CALLING = callingWith({ a: 1 })

function callingWith(values: object, calls = 1): Message {
  const called = { name: 'f', arguments: JSON.stringify(values) }
  const call = { id: CALL_ID, type: 'function' as const, function: called }
  return { role: 'assistant', content: '', tool_calls: Array.from({ length: calls }, () => call) }
}

const MANY = Array.from({ length: 8 }, (_, index) => index)
const ARGUMENTS = [
  Object.fromEntries(MANY.map((each) => [`a${each}`, each])),
  { a: MANY },
  { a: MANY.map((each) => ({ a: each })) },
  { a: { a: { a: { a: { a: 1 } } } } },
]

/** A conversation, and the same with more messages of one kind. */
const GROWING: readonly (readonly [Message[], Message[]])[] = [
  [[USER], [USER, USER]],
  [
    [SYSTEM, USER],
    [SYSTEM, SYSTEM, USER],
  ],
  [
    [USER, SYSTEM, USER],
    [USER, SYSTEM, USER, SYSTEM, USER],
  ],
  [
    [USER, ASSISTANT, USER],
    [USER, ASSISTANT, USER, ASSISTANT, USER],
  ],
  [
    [USER, REASONED, USER],
    [USER, REASONED, USER, REASONED, USER],
  ],
  [
    [USER, ASSISTANT],
    [USER, ASSISTANT, ASSISTANT],
  ],
  [
    [USER, CALLING, RESULT],
    [USER, CALLING, RESULT, CALLING, RESULT],
  ],
  [
    [USER, CALLING, RESULT],
    [USER, CALLING, RESULT, RESULT],
  ],
  [
    [USER, CALLING, RESULT, ASSISTANT, USER],
    [USER, CALLING, RESULT, ASSISTANT, USER, CALLING, RESULT, ASSISTANT, USER],
  ],
]

const TOOL = { type: 'function' as const, function: { name: 'f' } }
const ONE_TOOL = [TOOL]
const TWO_TOOLS = [TOOL, { ...TOOL, function: { name: 'g' } }]

/**
 * Measures what the chat template of an engine's model adds to conversations, by the engine's own
 * counts of small ones. Conversations that the template rejects say nothing. Undefined if the
 * engine does not count; throws an EngineError if it is unreachable.
 */
export async function measureTemplate(engine: Engine): Promise<TemplateCost | undefined> {
  const controller = new AbortController()
  const late = new EngineError('transport', engine.name, 'timeout')
  const timer = setTimeout(() => controller.abort(late), TIMEOUT_MS)
  try {
    return await new Measuring(engine, controller.signal).run()
  } finally {
    clearTimeout(timer)
  }
}

class Measuring {
  readonly #engine: Engine
  readonly #signal: AbortSignal
  /** The conversations that were counted, with what the template added to their bytes. */
  readonly #added = new Map<Prompt, number>()

  constructor(engine: Engine, signal: AbortSignal) {
    this.#engine = engine
    this.#signal = signal
  }

  async run(): Promise<TemplateCost | undefined> {
    const simple = { messages: [USER] }
    if ((await this.#addedTo(simple)) === undefined) return undefined
    const separator = await this.#growth(
      [...ARGUMENTS.map((values) => callingWith(values)), callingWith({ a: 1 }, 2)].map(
        (calling) => [{ messages: [USER, CALLING, RESULT] }, { messages: [USER, calling, RESULT] }],
      ),
      (prompt) => measurePrompt(prompt).separators,
      NOTHING,
    )
    const message = await this.#growth(
      GROWING.map(([short, long]) => [{ messages: short }, { messages: long }]),
      ({ messages }) => messages.length,
      { ...NOTHING, separator },
    )
    const wrapped = { ...NOTHING, separator, message }
    const conversation = this.#most(wrapped)
    const withTools = [[USER], [SYSTEM, USER], [USER, CALLING, RESULT]]
    const tool = await this.#growth(
      withTools.map((messages) => [
        { messages, tools: ONE_TOOL },
        { messages, tools: TWO_TOOLS },
      ]),
      ({ tools }) => tools?.length ?? 0,
      NOTHING,
    )
    const tools = this.#most({ ...wrapped, conversation, tool })
    return withSpare({ ...wrapped, conversation, tool, tools })
  }

  /** The most that one more of something adds, beyond what is known of the rest. */
  async #growth(
    pairs: readonly (readonly [Prompt, Prompt])[],
    numberIn: (prompt: Prompt) => number,
    known: TemplateCost,
  ): Promise<number> {
    let most = 0
    for (const [short, long] of pairs) {
      const [before, after] = [await this.#addedTo(short), await this.#addedTo(long)]
      if (before === undefined || after === undefined) continue
      const explained = costIn(long, known) - costIn(short, known)
      const more = numberIn(long) - numberIn(short)
      most = Math.max(most, Math.ceil((after - before - explained) / more))
    }
    return most
  }

  /** The most that was added to a conversation so far beyond what is known. */
  #most(known: TemplateCost): number {
    const beyond = [...this.#added].map(([prompt, added]) => added - costIn(prompt, known))
    return Math.max(0, ...beyond)
  }

  async #addedTo(prompt: Prompt): Promise<number | undefined> {
    const request: ChatRequest = { model: 'template', ...prompt }
    const asked = { outputTokensMax: 1, effort: undefined, organizationId: 'template' }
    const generation = { ...asked, request, neutralise: keepText }
    const count = () => this.#engine.countPrompt(generation, this.#signal)
    const tokens = await unlessRefused(count)
    if (tokens === undefined) return undefined
    const added = tokens - promptTokensMaxOf(measurePrompt(prompt), NOTHING)
    this.#added.set(prompt, added)
    return added
  }
}

function costIn(prompt: Prompt, cost: TemplateCost): number {
  const size = measurePrompt(prompt)
  return promptTokensMaxOf(size, cost) - promptTokensMaxOf(size, NOTHING)
}

function withSpare(cost: TemplateCost): TemplateCost {
  return {
    conversation: cost.conversation + SPARE.conversation,
    message: cost.message + SPARE.message,
    separator: cost.separator + SPARE.separator,
    tools: cost.tools + SPARE.tools,
    tool: cost.tool + SPARE.tool,
  }
}

/** For engines of one model that may have different templates. */
export function dearestOf(costs: readonly TemplateCost[]): TemplateCost {
  const most = (of: (cost: TemplateCost) => number) => Math.max(0, ...costs.map(of))
  return {
    conversation: most((cost) => cost.conversation),
    message: most((cost) => cost.message),
    separator: most((cost) => cost.separator),
    tools: most((cost) => cost.tools),
    tool: most((cost) => cost.tool),
  }
}
