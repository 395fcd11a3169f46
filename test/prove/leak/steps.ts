import { chunk, DONE, usage } from '../../harness/fake-engine/events.ts'
import type { Random } from '../../harness/figures/random.ts'
import { sentenceOf, tokensOf, type CorpusName } from './texts.ts'

export type Kind = 'reasoning' | 'content' | 'call' | 'arguments' | 'finish' | 'usage' | 'error'

/** What an engine sends at once, which is one read of ours. */
export type Step = { readonly kind: Kind; readonly wire: string }

const REASONING_SHARE = 0.3
/** Tool names of everyday length; the longest is longer than most. */
const NAMES = ['get_weather', 'read_file', 'search', 'calendar_create_event', 'sql']
const USAGE = usage({ prompt: 211, completion: 500 })
const ERROR = 'data: {"error":{"code":500,"message":"it broke"}}\n\n'

/** The tools that a client offers. */
export const TOOLS = NAMES.map((name) => ({ type: 'function', function: { name } }))

/** One generation: reasoning, then an answer or tool calls, each token in a read of its own. */
export function stepsOf(corpus: CorpusName, tokens: number, random: Random): Step[] {
  const called = corpus === 'arguments'
  const reasoningTokens = Math.floor(tokens * REASONING_SHARE)
  const answerTokens = tokens - reasoningTokens
  const thoughts = tokensOf(called ? 'english' : corpus, reasoningTokens, random)
  return [
    ...thoughts.map((text) => step('reasoning', { reasoning_content: text })),
    ...(called
      ? callSteps(answerTokens, random)
      : tokensOf(corpus, answerTokens, random).map((text) => step('content', { content: text }))),
    { kind: 'finish', wire: chunk({}, called ? 'tool_calls' : 'stop') },
    { kind: 'usage', wire: USAGE + DONE },
  ]
}

function step(kind: Kind, delta: object): Step {
  return { kind, wire: chunk(delta) }
}

/** As llama-server opens a call: the name and the first of the arguments in one event. */
function callSteps(tokens: number, random: Random): Step[] {
  const steps: Step[] = []
  for (let index = 0; steps.length < tokens; index += 1) {
    const [first = '{', ...rest] = sentenceOf('arguments', random)
    const named = { name: random.pick(NAMES), arguments: first }
    const call = { index, id: `engine-${index}`, type: 'function', function: named }
    steps.push(step('call', { tool_calls: [call] }))
    for (const text of rest)
      steps.push(step('arguments', { tool_calls: [{ index, function: { arguments: text } }] }))
  }
  return steps
}

/** Reads from an engine that is ahead of us: several tokens of one kind at once. */
export function gather(steps: readonly Step[], mostAtOnce: number, random: Random): Step[] {
  const reads: Step[] = []
  let room = 0
  for (const each of steps) {
    const last = reads.at(-1)
    if (room > 0 && last?.kind === each.kind) {
      reads[reads.length - 1] = { ...last, wire: last.wire + each.wire }
      room -= 1
    } else {
      reads.push(each)
      room = random.between(0, mostAtOnce - 1)
    }
  }
  return reads
}

/** The same generation, but the engine fails in the middle of it. */
export function cutByError(steps: readonly Step[]): Step[] {
  return [...steps.slice(0, Math.floor(steps.length / 2)), { kind: 'error', wire: ERROR }]
}
