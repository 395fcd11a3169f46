import { Type, type Static } from 'typebox'

const id = (description: string) =>
  Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', description })

const tokens = (description: string) => Type.Integer({ minimum: 0, description })

const time = (description: string) =>
  Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$', description })

/**
 * One usage record as exported: a CloudEvent 1.0 in JSON format. Fields may be added; any other
 * change needs a new `type`.
 */
export const UsageEvent = Type.Object(
  {
    specversion: Type.Literal('1.0'),
    id: id('Id of the request. Count each id once.'),
    source: Type.String({ minLength: 1, description: 'The service, as named by the operator.' }),
    type: Type.Literal('headrace.usage.v1'),
    subject: id('The organization that is billed.'),
    time: time('When the request was admitted; decides its hour and day.'),
    datacontenttype: Type.Literal('application/json'),
    data: Type.Object(
      {
        organization_id: id('The organization, as in `subject`.'),
        project_id: id('The project.'),
        credential_id: id('The API key, or the account that used the playground.'),
        model: Type.String({ minLength: 1, description: 'Id of the model.' }),
        prompt_tokens: tokens('Input, cached tokens included.'),
        cached_tokens: tokens('The part of the input that an engine found in its cache.'),
        completion_tokens: tokens('Output, reasoning included.'),
        reasoning_tokens: tokens('The part of the output that is reasoning.'),
        cost: Type.String({
          pattern: '^\\d+\\.\\d{2,6}$',
          description: 'In units of the currency, as a decimal.',
        }),
        cost_micro: Type.Integer({ minimum: 0, description: 'The cost in millionths of a unit.' }),
        currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'Currency code.' }),
        outcome: Type.Enum(['completed', 'failed', 'abandoned', 'lost'], {
          description: 'How the request ended.',
        }),
        basis: Type.Enum(['engine', 'engine_partial', 'checkpoint', 'none'], {
          description: 'Where the counts come from.',
        }),
        settled_at: time('When the request ended.'),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false, description: 'A usage record as a CloudEvent.' },
)

export type UsageEvent = Static<typeof UsageEvent>
