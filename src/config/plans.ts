// The settings of plans and prices.
import { Type } from 'typebox'
import { IGNORABLE_PARAMETERS } from '../contract/ignorable-parameters.ts'
import { LIMIT_MAX } from '../tenancy/rate-limits.ts'
import { NAME, integer, list, mapping, number, oneOf, text } from './schema-nodes.ts'

const PRICE_MAX = 1_000_000
/** Prices are stored in micro-units, so six decimals are exact. */
const MICRO = 1_000_000

/** More than any number of engines can run. */
const CONCURRENCY_MAX = 1_000_000

const MODEL_ID = 'a model id such as headrace/pebble: letters, digits and . _ - / (at most 256)'

export function modelId(description: string) {
  return text(`${NAME}(/${NAME})*`, 256, MODEL_ID, { description })
}

function price(description: string) {
  const expected = `a number from 0 to ${PRICE_MAX} with at most 6 decimals`
  const options = { minimum: 0, maximum: PRICE_MAX, expected, description }
  return Type.Refine(Type.Number(options), (value) => Math.round(value * MICRO) / MICRO === value)
}

export const Price = mapping(
  {
    input: price('Price of a million input tokens, in units of `currency`.'),
    cached_input: Type.Optional(
      price('Price of a million cached input tokens (default: `input`).'),
    ),
    output: price('Price of a million output tokens, including reasoning.'),
  },
  'Prices of a model.',
)

const Limits = mapping(
  {
    requests_per_minute: integer(0, LIMIT_MAX, 'Requests per minute; refills continuously.'),
    requests_per_day: integer(0, LIMIT_MAX, 'Requests per UTC day.'),
    tokens_per_minute: integer(0, LIMIT_MAX, 'Tokens per minute; refills continuously.'),
    tokens_per_day: integer(0, LIMIT_MAX, 'Tokens per UTC day.'),
    concurrent_requests: Type.Optional(
      integer(1, CONCURRENCY_MAX, 'Requests at the same time (default: no limit).'),
    ),
    concurrent_requests_per_key: Type.Optional(
      integer(1, CONCURRENCY_MAX, 'Requests of one API key at the same time (default: no limit).'),
    ),
    concurrent_requests_per_model: Type.Optional(
      Type.Record(
        modelId('Id of a model.'),
        integer(1, CONCURRENCY_MAX, 'Requests for the model at the same time.'),
        {
          description: 'Requests for a model at the same time, by model id (default: no limit).',
          expected: 'a mapping of model ids to integers',
          keys: MODEL_ID,
        },
      ),
    ),
  },
  'Limits of an organization; 0 rejects every request.',
)

const credential = oneOf(['api_key', 'playground'], 'Kind of credential.')

const ignorable = oneOf([...IGNORABLE_PARAMETERS], 'Name of a parameter.')

const Plan = mapping(
  {
    models: Type.Union([Type.Literal('all'), Type.Array(modelId('Id of a model.'))], {
      description: 'Models that the plan allows.',
      expected: "'all' or a list of model ids",
    }),
    credentials: list(credential, 'a list of credential kinds', {
      description: 'Kinds of credentials that the plan allows.',
      default: ['api_key', 'playground'],
    }),
    ignored_parameters: list(ignorable, `a list of ${IGNORABLE_PARAMETERS.join(', ')}`, {
      description:
        'Unsupported parameters that are ignored instead of rejected; an API key can add more.',
      default: [],
    }),
    limits: Limits,
    weight: number(
      0.1,
      1_000,
      1,
      'Share of engines that are in demand, relative to organizations of other plans.',
    ),
    priority: oneOf(
      ['interactive', 'standard', 'batch'],
      'Who gets a slot first when engines are in demand.',
      'standard',
    ),
    billing: oneOf(
      ['none', 'prepaid', 'postpaid'],
      'Whether usage is charged, and whether the balance must cover it in advance.',
      'none',
    ),
    prices: Type.Record(modelId('Id of a model.'), Price, {
      description: 'Prices by model id; they override the prices of the models.',
      expected: 'a mapping of model ids to prices',
      keys: MODEL_ID,
      default: {},
    }),
  },
  'A plan.',
)

const PLAN_NAME = 'a name of lowercase letters, digits, _ and - (at most 64)'

export const planName = text('[a-z0-9][a-z0-9_-]{0,63}', 64, PLAN_NAME, {
  description: 'Plan of organizations that are created without one.',
})

export const Plans = Type.Record(planName, Plan, {
  description: 'Models, limits and prices of organizations, by plan name.',
  expected: 'a mapping of plan names to plans',
  keys: PLAN_NAME,
})
