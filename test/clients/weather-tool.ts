import assert from 'node:assert/strict'

export const WEATHER_QUESTION = 'What is the weather in Paris?'

/** The demo model was trained to repeat this result, so the reply shows that it arrived. */
export const WEATHER = 'sunny, 21 degrees'

export const WEATHER_PARAMETERS = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const, description: 'The city' } },
  required: ['city'],
  additionalProperties: false,
}

export const WEATHER_TOOL = {
  name: 'get_weather',
  description: 'Get the weather of a city',
} as const

/** A tool that records its calls; every client can wrap it. */
export function createWeatherTool(): {
  readonly cities: string[]
  readonly answer: (input: { city: string }) => string
} {
  const cities: string[] = []
  const answer = ({ city }: { city: string }): string => {
    cities.push(city)
    return WEATHER
  }
  return { cities, answer }
}

/** Asserts two steps: the model called the tool once, and its reply contains the result. */
export function assertWeatherReply(cities: readonly string[], reply: unknown): void {
  assert.deepEqual(cities, ['Paris'])
  assert.match(String(reply), /sunny/i)
}
