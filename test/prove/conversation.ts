// A client that sends back what it received is never rejected for reasoning that never existed.
// engines: llama-server vllm sglang
// covers: src/contract/** src/inference/** src/engines/adapters/**
import type { Config } from '../../src/config/load.ts'
import {
  scriptedModel,
  startScriptedEngine,
  withScripts,
  type ScriptedEngine,
} from '../harness/fake-engine/scripts.ts'
import { openLine, type Line } from '../harness/clients/http-client.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { startService } from '../harness/processes/service.ts'
import { ECHOES, FORGERIES, withoutReasoning, type Call, type Step } from './conversation/echoes.ts'

const SOAK_FACTOR = 20
const ROUNDS = 3
const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const WEATHER = { name: 'get_weather', description: 'Get the current weather for a city' }
const TOOLS = [{ type: 'function', function: { ...WEATHER, parameters: PARAMETERS } }]
const QUESTION = { role: 'user', content: 'What is the weather in Rome and Oslo?' }

const STRICT_MODEL = 'headrace/pebble-strict'

/** Models that always answer with a tool-call step, with or without reasoning. */
const SOURCES = [
  { name: 'a real step with reasoning', model: STRICT_MODEL, reasoned: true },
  { name: 'a step with reasoning', model: scriptedModel('replays-tools'), reasoned: true },
  {
    name: 'a step without reasoning',
    model: scriptedModel('calls-without-reasoning'),
    reasoned: false,
  },
]

type Setting = {
  readonly line: Line
  readonly key: string
  readonly otherKey: string
  readonly run: ProofRun
  readonly tally: { checks: number; held: number; refused: number }
}

/** The model's tool-call step, as a client receives it. */
async function takeStep({ line, key }: Setting, model: string, stream: boolean): Promise<Step> {
  const asked = { model, messages: [QUESTION], tools: TOOLS, seed: 1, temperature: 0, stream }
  const { status, text } = await line.chat(key, asked)
  if (status !== 200) throw new Error(`no step: ${status} ${text}`)
  if (stream) return foldStream(text)
  const { choices } = JSON.parse(text) as { choices: { message: Step }[] }
  const message = choices[0]?.message
  if (message?.tool_calls === undefined) throw new Error('the model called no tool')
  return message
}

type Delta = {
  readonly content?: string
  readonly reasoning_content?: string
  readonly tool_calls?: readonly {
    readonly index: number
    readonly id?: string
    readonly function: { readonly name?: string; readonly arguments?: string }
  }[]
}

function foldStream(text: string): Step {
  let content = ''
  let reasoning: string | undefined
  const calls: (Call & { function: { arguments: string } })[] = []
  for (const [, data] of text.matchAll(/^data: (\{.*\})$/gm)) {
    const { choices } = JSON.parse(data ?? '') as { choices: { delta: Delta }[] }
    const { reasoning_content: more, ...delta } = choices[0]?.delta ?? {}
    content += delta.content ?? ''
    if (more !== undefined) reasoning = (reasoning ?? '') + more
    for (const { index, id, function: called } of delta.tool_calls ?? []) {
      const { name = '', arguments: fragment = '' } = called
      if (id !== undefined)
        calls[index] = { id, type: 'function', function: { name, arguments: '' } }
      const call = calls[index]
      if (call !== undefined) call.function.arguments += fragment
    }
  }
  return {
    role: 'assistant',
    content: content === '' ? null : content,
    tool_calls: calls,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
  }
}

function check({ tally, run }: Setting, held: boolean, failure: string): void {
  tally.checks += 1
  if (held) tally.held += 1
  else run.fail(failure)
}

/** Sends a step back with the results of its tools, and asks the model to go on. */
async function sendBack(
  setting: Setting,
  what: string,
  echoed: Step,
  expected: 'accepted' | 'refused',
  key = setting.key,
): Promise<void> {
  const results = echoed.tool_calls.map(({ id }) => ({
    role: 'tool',
    tool_call_id: id,
    content: 'Sunny, 20 degrees.',
  }))
  const messages = [QUESTION, echoed, ...results]
  const body = { model: STRICT_MODEL, messages, tools: TOOLS, seed: 1, temperature: 0 }
  const { status, text } = await setting.line.chat(key, body)
  const { error } = JSON.parse(text) as { error?: { code?: string; param?: string } }
  const refused =
    status === 400 &&
    error?.code === 'missing_required_parameter' &&
    error.param === 'messages[1].reasoning_content'
  const held = expected === 'accepted' ? status === 200 : refused
  check(setting, held, `${what}: expected to be ${expected}, but ${status} ${error?.code ?? ''}`)
  if (expected === 'refused' && held) setting.tally.refused += 1
}

async function judgeSource(
  setting: Setting,
  { name, model, reasoned }: (typeof SOURCES)[number],
  stream: boolean,
): Promise<void> {
  const step = await takeStep(setting, model, stream)
  const reasoning = step.reasoning_content
  // Such a step always has the field, and it is empty exactly when there was no reasoning.
  const marked = typeof reasoning === 'string' && (reasoning === '') === !reasoned
  check(setting, marked, `${name}: came with reasoning ${JSON.stringify(reasoning)}`)
  for (const echo of ECHOES) {
    const expected = echo.keeps(step) || !reasoned ? 'accepted' : 'refused'
    const what = `${name}, ${echo.name}${stream ? ', streamed' : ''}`
    await sendBack(setting, what, echo.of(step), expected)
  }
  if (reasoned) return
  // A mark is valid only for the organization that received it, and only unchanged.
  const dropped = withoutReasoning(step)
  const foreign = 'a mark of another organization'
  await sendBack(setting, foreign, dropped, 'refused', setting.otherKey)
  for (const forgery of FORGERIES) {
    const tool_calls = step.tool_calls.map((call) => ({ ...call, id: forgery.of(call.id) }))
    await sendBack(setting, forgery.name, { ...dropped, tool_calls }, 'refused')
  }
}

function withStrictScripts(config: Config, engine: ScriptedEngine): Config {
  const scripted = withScripts(config, engine)
  const models = scripted.models.map((model) => ({
    ...model,
    ...(model.id.startsWith('scripted/') ? { reasoning_history: 'required' as const } : {}),
  }))
  return { ...scripted, models }
}

await runProof('conversation', async (run) => {
  await using engine = await startScriptedEngine()
  await using service = await startService((config) => withStrictScripts(config, engine))
  await using line = openLine(service.apiRoot, 4)
  const [{ key }, { key: otherKey }] = [await service.createCaller(), await service.createCaller()]
  const tally = { checks: 0, held: 0, refused: 0 }
  const setting = { line, key, otherKey, run, tally }
  const rounds = ROUNDS * (run.soak ? SOAK_FACTOR : 1)
  for (let round = 0; round < rounds; round += 1)
    for (const source of SOURCES) await judgeSource(setting, source, round % 2 === 1)
  if (tally.refused === 0) run.fail('nothing was refused')
  return { echoes: ECHOES.length, sources: SOURCES.length, rounds, ...tally }
})
