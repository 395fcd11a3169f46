import { DEMO_MODEL } from '../harness/environment.ts'

/** The conversation that pictures of the playground show. */
export const QUESTION = 'What is the weather in Paris?'
export const RESULT = '{"city": "Paris", "temperature": 18, "condition": "cloudy"}'
const TOOL = {
  name: 'get_weather',
  description: 'The weather of a city',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
}
/** Parameters of the playground's address. */
export const SETTINGS = new URLSearchParams({
  model: DEMO_MODEL,
  tools: JSON.stringify([TOOL]),
  temperature: '0',
  max_completion_tokens: '400',
})
