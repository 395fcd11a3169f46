import type { Random } from '../../harness/random.ts'
import { tokensOf, type CorpusName } from './texts.ts'

export type Kind = 'reasoning' | 'content' | 'call' | 'arguments' | 'finish' | 'usage' | 'error'

/** What an engine sends at once, which is one read of ours. */
export type Step = { readonly kind: Kind; readonly wire: string }

const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`

function chunk(delta: object, finish: string | null = null): string {
  return event({ choices: [{ finish_reason: finish, index: 0, delta }], object: 'chunk' })
}

const REASONING_SHARE = 0.3
/** Tool names of everyday length; the longest is longer than most. */
const NAMES = ['get_weather', 'read_file', 'search', 'calendar_create_event', 'sql']
const CALL_TOKENS = 40
const USAGE = { prompt_tokens: 211, completion_tokens: 500 }

/** One generation: it reasons, and then answers or calls tools, each token in a read of its own. */
export function stepsOf(corpus: CorpusName, tokens: number, random: Random): Step[] {
  const reasoningTokens = Math.floor(tokens * REASONING_SHARE)
  const thoughts = corpus === 'arguments' ? 'english' : corpus
  const steps: Step[] = tokensOf(thoughts, reasoningTokens, random).map((text) => ({
    kind: 'reasoning',
    wire: chunk({ reasoning_content: text }),
  }))
  const answerTokens = tokens - reasoningTokens
  if (corpus === 'arguments') steps.push(...callSteps(answerTokens, random))
  else
    for (const text of tokensOf(corpus, answerTokens, random))
      steps.push({ kind: 'content', wire: chunk({ content: text }) })
  const finish = corpus === 'arguments' ? 'tool_calls' : 'stop'
  return [
    ...steps,
    { kind: 'finish', wire: chunk({}, finish) },
    { kind: 'usage', wire: `${event({ choices: [], usage: USAGE })}data: [DONE]\n\n` },
  ]
}

/** As llama-server opens a call: the name and the first of the arguments in one event. */
function callSteps(tokens: number, random: Random): Step[] {
  const steps: Step[] = []
  for (let index = 0; steps.length < tokens; index += 1) {
    const [first = '{', ...rest] = tokensOf('arguments', CALL_TOKENS, random)
    const named = { name: random.pick(NAMES), arguments: first }
    const call = { index, id: `engine-${index}`, type: 'function', function: named }
    steps.push({ kind: 'call', wire: chunk({ tool_calls: [call] }) })
    for (const text of rest) {
      const wire = chunk({ tool_calls: [{ index, function: { arguments: text } }] })
      steps.push({ kind: 'arguments', wire })
    }
  }
  return steps
}

/** What a client offers so that it may be called. */
export const TOOLS = NAMES.map((name) => ({ type: 'function', function: { name } }))

/** Reads of an engine that is ahead of us: several tokens at once, of one kind. */
export function gathered(steps: readonly Step[], mostAtOnce: number, random: Random): Step[] {
  const reads: Step[] = []
  let room = 0
  for (const step of steps) {
    const last = reads.at(-1)
    if (room > 0 && last?.kind === step.kind) {
      reads[reads.length - 1] = { ...last, wire: last.wire + step.wire }
      room -= 1
    } else {
      reads.push(step)
      room = random.between(0, mostAtOnce - 1)
    }
  }
  return reads
}

/** The same generation, but the engine breaks down in the middle of it. */
export function broken(steps: readonly Step[]): Step[] {
  const wire = event({ error: { code: 500, message: 'it broke' } })
  return [...steps.slice(0, Math.floor(steps.length / 2)), { kind: 'error', wire }]
}
