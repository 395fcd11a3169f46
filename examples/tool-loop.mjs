// Lets a model call functions until it has an answer. Needs Node 18 or newer and no packages.
//
//   export HEADRACE_BASE_URL=https://HOST/compat/v1 HEADRACE_API_KEY=headrace_sk_… HEADRACE_MODEL=…
//   node tool-loop.mjs 'What is the weather in Paris?'

const { HEADRACE_BASE_URL, HEADRACE_API_KEY, HEADRACE_MODEL } = process.env
const STEPS_MAX = 8

/** What the model may call. Replace the weather by something of yours. */
const TOOLS = {
  get_weather: {
    description: 'Get the weather of a city',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string', description: 'The city' } },
      required: ['city'],
      additionalProperties: false,
    },
    run: ({ city }) => {
      console.error(`get_weather: ${city}`)
      return 'sunny, 21 degrees'
    },
  },
}

const tools = Object.entries(TOOLS).map(([name, { description, parameters }]) => ({
  type: 'function',
  function: { name, description, parameters },
}))

async function complete(messages) {
  const response = await fetch(`${HEADRACE_BASE_URL}/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${HEADRACE_API_KEY}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ model: HEADRACE_MODEL, messages, tools }),
  })
  const body = await response.json()
  if (response.ok) return body.choices[0]
  throw new Error(`${body.error.message} (${response.headers.get('x-request-id')})`)
}

/** The result of a call, or what is wrong with it: the model can then correct itself. */
function run({ name, arguments: text }) {
  const tool = TOOLS[name]
  if (tool === undefined) return `There is no tool ${name}.`
  try {
    return String(tool.run(JSON.parse(text)))
  } catch (error) {
    return `The call failed: ${error.message}`
  }
}

const messages = [{ role: 'user', content: process.argv[2] ?? 'What is the weather in Paris?' }]
for (let step = 0; step < STEPS_MAX; step++) {
  const { message, finish_reason: reason } = await complete(messages)
  // The last call of an answer that was cut off may be incomplete: do not run it.
  if (reason === 'length') throw new Error('the output limit was reached')
  // The message goes back as it is, with its reasoning: some models require that.
  messages.push(message)
  if (!message.tool_calls?.length) {
    console.log(message.content)
    break
  }
  for (const { id, function: call } of message.tool_calls)
    messages.push({ role: 'tool', tool_call_id: id, content: run(call) })
}
