const question = { role: 'user', content: 'What is the capital of France?' }

/** Requests for chat completions that can be sent as they are, after a change of the model. */
export const CHAT_EXAMPLES = {
  text: {
    summary: 'A question',
    value: { model: 'headrace/pebble', messages: [question] },
  },
  stream: {
    summary: 'A streamed answer with its usage',
    value: {
      model: 'headrace/pebble',
      messages: [question],
      stream: true,
      stream_options: { include_usage: true },
    },
  },
  tools: {
    summary: 'A tool that the model may call',
    value: {
      model: 'headrace/pebble',
      messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
      tools: [
        {
          type: 'function',
          function: {
            name: 'get_weather',
            description: 'The weather in a city.',
            parameters: {
              type: 'object',
              properties: { city: { type: 'string' } },
              required: ['city'],
            },
          },
        },
      ],
    },
  },
  json_schema: {
    summary: 'An answer that follows a JSON schema',
    value: {
      model: 'headrace/pebble',
      messages: [question],
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'answer',
          schema: {
            type: 'object',
            properties: { capital: { type: 'string' } },
            required: ['capital'],
          },
        },
      },
    },
  },
}
