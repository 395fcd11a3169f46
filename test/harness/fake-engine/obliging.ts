// An engine that does what the prompt says, so that real programs can be led through their paths.
import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { chunk, ending, ROLE } from './events.ts'
import { fillSchema, type JsonSchema } from './fill-schema.ts'
import { begin, startFakeEngine, type FakeEngine } from './server.ts'

/** Anywhere in a user's message: the engine streams words until its reader leaves. */
export const TALK_WITHOUT_END = 'TALK-WITHOUT-END'
/** Before the text with which the engine answers, up to `END-ANSWER` or the end. */
const ANSWER = /ANSWER-WITH:([^]*?)(?:END-ANSWER|$)/
/** `USETOOL` asks for a call of the first tool, `USETOOL=read ARGS={"path":"a.txt"}` for that. */
const USE_TOOL = /USETOOL(?:=([\w.-]+))?(?: ARGS=(\{.*\}))?/

const WORD_EVERY_MS = 50
const PROMPT_TOKENS = 10

type Call = { readonly id: string; readonly function: { readonly name: string } }
type Message = {
  readonly role: string
  readonly content?: string | null
  readonly tool_calls?: readonly Call[]
}
type Tool = { readonly function: { readonly name: string; readonly parameters: JsonSchema } }
type Body = {
  readonly messages: readonly Message[]
  readonly tools?: readonly Tool[]
  readonly tool_choice?: string
  readonly response_format?: { readonly json_schema?: { readonly schema: JsonSchema } }
}

/**
 * - A prompt with `TALK-WITHOUT-END`: words without end.
 * - A prompt with `USETOOL`, or a request that forces a call: a tool call, its required arguments
 *   made from the tool's schema. A tool is not called twice for one user message.
 * - A result of a tool: an answer that quotes it.
 * - A schema: JSON made from it.
 * - A prompt with `ANSWER-WITH:`: the text behind it. Otherwise a short answer.
 */
export async function startObligingEngine(): Promise<FakeEngine> {
  return startFakeEngine(async ({ body, response }) => {
    const asked = body as unknown as Body
    begin(response).write(ROLE + counted({ reasoning_content: 'Thinking.' }, 1))
    if (promptOf(asked).includes(TALK_WITHOUT_END)) return talkWithoutEnd(response)
    const call = callOf(asked)
    if (call === undefined) return say(response, answerTo(asked))
    const id = `call_${turnOf(asked).length}`
    const calls = [{ index: 0, id, type: 'function', function: call }]
    response.end(counted({ tool_calls: calls }, 2) + endingAfter(2, 'tool_calls'))
  })
}

/** One piece for each word, as a real engine has one for each token. */
function say(response: ServerResponse, text: string): void {
  const pieces = text.split(/(?<= )/).map((content, index) => counted({ content }, index + 2))
  response.end(pieces.join('') + endingAfter(pieces.length + 1))
}

/** A piece, and how many tokens the engine has generated with it. */
function counted(delta: object, tokens: number): string {
  return chunk(delta, null, {
    timings: { prompt_n: PROMPT_TOKENS, cache_n: 0, predicted_n: tokens },
  })
}

function endingAfter(completion: number, finish = 'stop'): string {
  return ending({ prompt: PROMPT_TOKENS, completion }, finish)
}

async function talkWithoutEnd(response: ServerResponse): Promise<void> {
  for (let tokens = 2; !response.destroyed; tokens += 1) {
    response.write(counted({ content: 'word ' }, tokens))
    // pacing: an engine needs time for each token.
    await pause(WORD_EVERY_MS)
  }
}

/** All that users said: agents may add messages of their own after the one that was typed. */
function promptOf({ messages }: Body): string {
  const users = messages.filter(({ role }) => role === 'user')
  return users.map(({ content }) => content ?? '').join('\n')
}

/** What has happened since a user last asked for a tool, or else since the last user message. */
function turnOf({ messages }: Body): readonly Message[] {
  const isUser = ({ role }: Message) => role === 'user'
  const asks = (each: Message) => isUser(each) && USE_TOOL.test(each.content ?? '')
  const asked = messages.findLastIndex(asks)
  return messages.slice((asked === -1 ? messages.findLastIndex(isUser) : asked) + 1)
}

function callOf(body: Body): { name: string; arguments: string } | undefined {
  const used = USE_TOOL.exec(promptOf(body))
  const isForced = body.tool_choice === 'required'
  if (body.tools === undefined || (used === null && !isForced)) return undefined
  const turn = turnOf(body)
  if (!isForced && turn.some(({ role }) => role === 'tool')) return undefined
  const called = new Set(turn.flatMap((each) => each.tool_calls ?? []).map((c) => c.function.name))
  const left = body.tools.filter(({ function: { name } }) => !called.has(name))
  const tool = left.find(({ function: { name } }) => name === used?.[1]) ?? left[0] ?? body.tools[0]
  if (tool === undefined) return undefined
  const { name, parameters } = tool.function
  const given = name === used?.[1] ? (JSON.parse(used[2] ?? '{}') as object) : {}
  const filled = fillSchema(parameters, lastResult(turn)) as object
  return { name, arguments: JSON.stringify({ ...filled, ...given }) }
}

function lastResult(turn: readonly Message[]): string | undefined {
  return turn.findLast(({ role }) => role === 'tool')?.content ?? undefined
}

function answerTo(body: Body): string {
  const schema = body.response_format?.json_schema?.schema
  if (schema !== undefined) return JSON.stringify(fillSchema(schema))
  const result = lastResult(turnOf(body))
  if (result !== undefined) return `The tool says: ${result}`
  return ANSWER.exec(promptOf(body))?.[1]?.trim() ?? 'Four, says the engine.'
}
