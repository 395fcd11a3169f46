// What a new user tries first works: requests to the demo model without sampling parameters.
// engines: llama-server vllm sglang
// covers: src/inference/** src/engines/adapters/**
import { Compile } from 'typebox/compile'
import { Type, type TSchema } from 'typebox'
import { openLine, type Line } from '../harness/clients/http-client.ts'
import { runProof } from '../harness/proof.ts'
import type { Random } from '../harness/figures/random.ts'
import { startService } from '../harness/processes/service.ts'
import { DEMO_MODEL } from '../harness/environment.ts'

const REQUESTS = 40
const SOAK_REQUESTS = 500
/** The share of each kind that must work. The model is tiny, so not every answer will. */
const WORKS_MIN = 0.99
const CONCURRENT = 4

const CITIES = words(
  'Paris Oslo Lima Rome Tokyo Berlin Madrid Cairo Vienna London Munich Hamburg Milan Venice Porto',
  'Barcelona Lyon Nice Zurich Geneva Boston Chicago Seattle Denver Toronto Sydney Melbourne Osaka',
  'Kyoto Mumbai Shanghai Istanbul Krakow Prague Lisbon Dublin Athens Warsaw Helsinki Stockholm',
)
const COUNTRIES = words(
  'France Norway Peru Italy Japan Germany Spain Egypt Austria Portugal Ireland Greece Poland Kenya',
)
const NAMES = words('Bob Alice Clara David Emma Frank Grace Henry Julia Oscar Peter Sarah Thomas')
const SYLLABLES = words('zor vib qua mep tul xan kof dri')
const WEATHER_QUESTIONS = [
  'What is the weather in',
  'How is the weather in',
  'Is it raining in',
  'Weather in',
]
const RESULTS = ['Sunny, 20 degrees.', 'Rain, 8 degrees.', 'Cloudy, 15 degrees.', '{"celsius": 3}']

const CITY = Type.Object({ city: Type.String() })
const PERSON = Type.Object({ name: Type.String(), age: Type.Integer() })
const WEATHER = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Get the current weather for a city',
    parameters: CITY,
  },
}

type Message = {
  readonly role: string
  readonly content?: string | null
  readonly reasoning_content?: string
  readonly tool_calls?: readonly {
    readonly id: string
    readonly function: { readonly name: string; readonly arguments: string }
  }[]
}
type Choice = { readonly message: Message; readonly finish_reason: string }

/** Sends the messages of one attempt. Undefined if the answer is an error. */
type Ask = (messages: readonly object[], more?: object) => Promise<Choice | undefined>

/** Each returns whether the attempt worked. */
const KINDS: Readonly<Record<string, (ask: Ask, random: Random) => Promise<boolean>>> = {
  async text(ask, random) {
    const choice = await ask([user(textQuestion(random))])
    return choice?.finish_reason === 'stop' && (choice.message.content ?? '') !== ''
  },
  async forced_call(ask, random) {
    const named = { type: 'function', function: { name: WEATHER.function.name } }
    const tool_choice = random.pick(['required', named])
    return callsWeather(
      await ask([user(weatherQuestion(random))], { tools: [WEATHER], tool_choice }),
    )
  },
  /** No model writes such arguments by itself: only an engine that enforces the schema passes. */
  async invented_call(ask, random) {
    const invented = Array.from({ length: 3 }, () => inventWord(random))
    const arguments_ = Type.Object({ city: Type.String(), unit: Type.Enum(invented) })
    const weather = { ...WEATHER.function, parameters: arguments_ }
    const tools = [{ type: 'function', function: weather }]
    const named = { type: 'function', function: { name: weather.name } }
    const tool_choice = random.pick(['required', named])
    // Otherwise the tiny model may repeat the call without end.
    const forced = { tools, tool_choice, parallel_tool_calls: false }
    const choice = await ask([user(weatherQuestion(random))], forced)
    return callsWeather(choice, arguments_)
  },
  async json_schema(ask, random) {
    const person = `${random.pick(NAMES)} is ${random.between(2, 99)} years old`
    const json_schema = { name: 'person', schema: PERSON }
    const choice = await ask([user(`Extract the person: ${person}.`)], {
      response_format: { type: 'json_schema', json_schema },
    })
    return choice?.finish_reason === 'stop' && isJsonOf(PERSON, choice.message.content ?? '')
  },
  async tool_loop(ask, random) {
    const question = user(weatherQuestion(random))
    const called = await ask([question], { tools: [WEATHER] })
    if (called === undefined || !callsWeather(called)) return false
    const results = (called.message.tool_calls ?? []).map(({ id }) => ({
      role: 'tool',
      tool_call_id: id,
      content: random.pick(RESULTS),
    }))
    const last = await ask([question, called.message, ...results], { tools: [WEATHER] })
    return last?.finish_reason === 'stop' && (last.message.content ?? '') !== ''
  },
}

function words(...lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.split(' '))
}

function user(content: string): object {
  return { role: 'user', content }
}

function weatherQuestion(random: Random): string {
  return `${random.pick(WEATHER_QUESTIONS)} ${random.pick(CITIES)}?`
}

function textQuestion(random: Random): string {
  return random.pick([
    `What is the capital of ${random.pick(COUNTRIES)}?`,
    `What is ${random.between(1, 60)} + ${random.between(1, 60)}?`,
    `My name is ${random.pick(NAMES)}. Who are you?`,
    `Hello, I am ${random.pick(NAMES)}.`,
    `Tell me a joke, ${random.pick(NAMES)}.`,
  ])
}

function inventWord(random: Random): string {
  return Array.from({ length: 3 }, () => random.pick(SYLLABLES)).join('')
}

function callsWeather(choice: Choice | undefined, parameters: TSchema = CITY): boolean {
  const calls = choice?.message.tool_calls ?? []
  return (
    choice?.finish_reason === 'tool_calls' &&
    calls.length > 0 &&
    calls.every(({ function: { name, arguments: text } }) => {
      return name === WEATHER.function.name && isJsonOf(parameters, text)
    })
  )
}

function isJsonOf(schema: TSchema, text: string): boolean {
  try {
    return Compile(schema).Check(JSON.parse(text))
  } catch {
    return false
  }
}

function createAsk(line: Line, key: string): Ask {
  return async (messages, more = {}) => {
    const { status, text } = await line.chat(key, { model: DEMO_MODEL, messages, ...more })
    if (status !== 200) {
      console.log(`${status} ${text.slice(0, 300)}`)
      return undefined
    }
    const [choice] = (JSON.parse(text) as { choices: Choice[] }).choices
    if (choice?.finish_reason === 'length') console.log(`cut off: ${text.slice(0, 300)}`)
    return choice
  }
}

await runProof('first-requests', async (run) => {
  await using service = await startService()
  await using line = openLine(service.apiRoot, CONCURRENT)
  const { key } = await service.createCaller()
  const ask = createAsk(line, key)
  const requests = run.soak ? SOAK_REQUESTS : REQUESTS
  const figures: Record<string, string> = {}
  for (const [kind, attempt] of Object.entries(KINDS)) {
    let worked = 0
    for (let done = 0; done < requests; done += CONCURRENT) {
      const batch = Array.from({ length: CONCURRENT }, () => attempt(ask, run.random))
      worked += (await Promise.all(batch)).filter(Boolean).length
    }
    figures[kind] = `${worked}/${requests}`
    if (worked < requests * WORKS_MIN) run.fail(`${kind}: only ${worked} of ${requests} worked`)
  }
  return figures
})
