// A client that sends back what it was sent is never refused for reasoning that there was not.
import { parseArgs } from 'node:util'
import type { Config } from '../../src/config/load.ts'
import {
  scriptedModel,
  startScriptedEngine,
  withScripts,
  type ScriptName,
} from '../harness/fake-engine/scripts.ts'
import { startService } from '../harness/service.ts'
import { openLine, type Line } from '../harness/http-client.ts'
import { ECHOES, FORGERIES, type Echo, type Forgery, type Step } from './conversation/echoes.ts'

const SOAK_FACTOR = 20
const ROUNDS = 3
const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'Get the current weather for a city',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  },
]
const QUESTION = { role: 'user', content: 'What is the weather in Rome and Oslo?' }

/** A step of the model with or without reasoning, and the model that always answers so. */
type Source = {
  readonly name: string
  readonly script: ScriptName | 'real'
  readonly reasoned: boolean
}

const SOURCES: readonly Source[] = [
  { name: 'a real step with reasoning', script: 'real', reasoned: true },
  { name: 'a step with reasoning', script: 'replays-tools', reasoned: true },
  { name: 'a step without reasoning', script: 'calls-without-reasoning', reasoned: false },
]

const REAL_MODEL = 'headrace/pebble-strict'

type World = { readonly line: Line; readonly key: string; readonly otherKey: string }

type Tally = { checks: number; held: number; refused: number }

async function ask(world: World, key: string, model: string, messages: readonly object[]) {
  const body = JSON.stringify({ model, messages, tools: TOOLS, seed: 1, temperature: 0 })
  const sent = { method: 'POST', path: '/chat/completions', body }
  return world.line.send({ ...sent, authorization: `Bearer ${key}` })
}

/** The model's step that calls tools, as a client receives it. */
async function takeStep(world: World, model: string, streamed: boolean): Promise<Step> {
  if (streamed) return takeStreamedStep(world, model)
  const { status, text } = await ask(world, world.key, model, [QUESTION])
  if (status !== 200) throw new Error(`no step: ${status} ${text}`)
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

async function takeStreamedStep({ line, key }: World, model: string): Promise<Step> {
  const asked = { model, messages: [QUESTION], tools: TOOLS, seed: 1, temperature: 0, stream: true }
  const sent = { method: 'POST', path: '/chat/completions', body: JSON.stringify(asked) }
  const { status, text } = await line.send({ ...sent, authorization: `Bearer ${key}` })
  if (status !== 200) throw new Error(`no step: ${status} ${text}`)
  let content = ''
  let reasoning: string | undefined
  const calls: { id: string; type: 'function'; function: { name: string; arguments: string } }[] =
    []
  for (const [, data] of text.matchAll(/^data: (\{.*\})$/gm)) {
    const { choices } = JSON.parse(data ?? '') as { choices: { delta: Delta }[] }
    const delta = choices[0]?.delta ?? {}
    content += delta.content ?? ''
    if (delta.reasoning_content !== undefined)
      reasoning = (reasoning ?? '') + delta.reasoning_content
    for (const { index, id, function: called } of delta.tool_calls ?? []) {
      if (id !== undefined)
        calls[index] = {
          id,
          type: 'function',
          function: { name: called.name ?? '', arguments: '' },
        }
      const call = calls[index]
      if (call !== undefined) call.function.arguments += called.arguments ?? ''
    }
  }
  return {
    role: 'assistant',
    content: content === '' ? null : content,
    tool_calls: calls,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
  }
}

/** The tools have answered; the model is asked to go on. */
function secondTurn(echoed: { readonly tool_calls: Step['tool_calls'] }): object[] {
  const results = echoed.tool_calls.map(({ id }) => ({
    role: 'tool',
    tool_call_id: id,
    content: 'Sunny, 20 degrees.',
  }))
  return [QUESTION, echoed, ...results]
}

type Expected = 'accepted' | 'refused'

async function judge(
  world: World,
  what: string,
  second: { readonly key: string; readonly model: string; readonly messages: readonly object[] },
  expected: Expected,
  tally: Tally,
): Promise<void> {
  const { status, text } = await ask(world, second.key, second.model, second.messages)
  const { error } = JSON.parse(text) as { error?: { code?: string; param?: string } }
  const refused =
    status === 400 &&
    error?.code === 'missing_required_parameter' &&
    error.param === 'messages[1].reasoning_content'
  const held = expected === 'accepted' ? status === 200 : refused
  tally.checks += 1
  if (held) tally.held += 1
  else console.log(`${what}: expected to be ${expected}, but ${status} ${error?.code ?? ''}`)
  if (expected === 'refused' && held) tally.refused += 1
}

async function judgeSource(world: World, source: Source, round: number, tally: Tally) {
  const streamed = round % 2 === 1
  const first = source.script === 'real' ? REAL_MODEL : scriptedModel(source.script)
  const step = await takeStep(world, first, streamed)
  const present = typeof step.reasoning_content === 'string'
  const empty = step.reasoning_content === ''
  tally.checks += 1
  // The field is always there on such a step, and empty exactly when there was no reasoning.
  if (present && empty === !source.reasoned) tally.held += 1
  else console.log(`${source.name}: came with reasoning ${JSON.stringify(step.reasoning_content)}`)
  for (const echo of ECHOES) {
    const messages = secondTurn(echo.of(step))
    const kept = echo.keeps(step)
    const expected = kept || !source.reasoned ? 'accepted' : 'refused'
    const what = `${source.name}, ${echo.name}${streamed ? ', streamed' : ''}`
    await judge(world, what, { key: world.key, model: REAL_MODEL, messages }, expected, tally)
  }
  if (!source.reasoned) await judgeForgeries(world, step, tally)
}

function withCalls(step: Step, forgery: Forgery): Step {
  return { ...step, tool_calls: step.tool_calls.map((call) => forgery.of(call)) }
}

/** A mark is good for the organization that it was given to, and as it was given. */
async function judgeForgeries(world: World, step: Step, tally: Tally): Promise<void> {
  const [drops] = ECHOES.filter((echo: Echo) => !echo.keeps(step))
  if (drops === undefined) throw new Error('no echo drops the reasoning')
  const honest = secondTurn(drops.of(step))
  const foreign = { key: world.otherKey, model: REAL_MODEL, messages: honest }
  await judge(world, 'a mark of another organization', foreign, 'refused', tally)
  for (const forgery of FORGERIES) {
    const messages = secondTurn(drops.of(withCalls(step, forgery)))
    await judge(
      world,
      forgery.name,
      { key: world.key, model: REAL_MODEL, messages },
      'refused',
      tally,
    )
  }
}

function withStrictScripts(config: Config, engine: Parameters<typeof withScripts>[1]): Config {
  const scripted = withScripts(config, engine)
  const models = scripted.models.map((model) => ({
    ...model,
    ...(model.id.startsWith('scripted/') ? { reasoning_history: 'required' as const } : {}),
  }))
  return { ...scripted, models }
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({ options: { soak: { type: 'boolean', default: false } } })
  await using engine = await startScriptedEngine()
  await using service = await startService((config) => withStrictScripts(config, engine))
  await using line = openLine(service.apiRoot, 4)
  const { key } = await service.createCaller()
  const { key: otherKey } = await service.createCaller()
  const world: World = { line, key, otherKey }
  const tally: Tally = { checks: 0, held: 0, refused: 0 }
  const rounds = ROUNDS * (values.soak ? SOAK_FACTOR : 1)
  for (let round = 0; round < rounds; round += 1)
    for (const source of SOURCES) await judgeSource(world, source, round, tally)
  const { checks, held, refused } = tally
  console.log(
    `conversation: echoes=${ECHOES.length} sources=${SOURCES.length} rounds=${rounds} ` +
      `checks=${checks} held=${held} refused=${refused}`,
  )
  return held === checks && refused > 0
}

process.exitCode = (await main()) ? 0 : 1
