// What organizations may do and what it costs them: the plans' part of the schema.
import { Type } from 'typebox'
import { LIMIT_MAX } from '../tenancy/rate-limits.ts'
import { NAME, integer, list, mapping, oneOf, text } from './schema-nodes.ts'

const PRICE_MAX = 1_000_000
/** A price is kept in micro-units, of which a sixth decimal is one. */
const MICRO = 1_000_000

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
    cached_input: Type.Optional(price('Of those found in a cache; the same if not given.')),
    output: price('Price of a million output tokens, reasoning included.'),
  },
  'What the tokens of a model cost.',
)

const Limits = mapping(
  {
    requests_per_minute: integer(0, LIMIT_MAX, 'Requests per minute; refills continuously.'),
    requests_per_day: integer(0, LIMIT_MAX, 'Requests per UTC day.'),
    tokens_per_minute: integer(0, LIMIT_MAX, 'Tokens per minute; refills continuously.'),
    tokens_per_day: integer(0, LIMIT_MAX, 'Tokens per UTC day.'),
  },
  'What an organization may use; 0 admits nothing.',
)

const credential = oneOf(['api_key', 'playground'], 'A kind of credential.')

const Plan = mapping(
  {
    models: Type.Union([Type.Literal('all'), Type.Array(modelId('Id of a model.'))], {
      description: 'Models that the plan may use.',
      expected: "'all' or a list of model ids",
    }),
    credentials: list(credential, 'a list of kinds of credential', {
      description: 'Kinds of credential that the plan may use.',
      default: ['api_key', 'playground'],
    }),
    limits: Limits,
    billing: oneOf(
      ['none', 'prepaid', 'postpaid'],
      'Whether use costs money, and whether a balance must cover it beforehand.',
      'none',
    ),
    prices: Type.Record(modelId('Id of a model.'), Price, {
      description: 'Prices that differ from those of the models, by the id of the model.',
      expected: 'a mapping of model ids to prices',
      keys: MODEL_ID,
      default: {},
    }),
  },
  'What an organization may do.',
)

const PLAN_NAME = 'a name of lowercase letters, digits, _ and - (at most 64)'

export const planName = text('[a-z0-9][a-z0-9_-]{0,63}', 64, PLAN_NAME, {
  description: 'Plan of an organization that was given no other.',
})

export const Plans = Type.Record(planName, Plan, {
  description: 'What organizations may do, by the name of the plan.',
  expected: 'a mapping of plan names to plans',
  keys: PLAN_NAME,
})
