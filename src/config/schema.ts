// The single definition of every setting: types, checks, error messages, docs/configuration.md and
// .env.example are derived from this schema.
import { Type, type Static } from 'typebox'
import { Api } from './api.ts'
import { Capabilities, Organization, Ranks, Workers } from './capabilities.ts'
import { Console } from './console.ts'
import { Discover } from './discovery.ts'
import { Database, Ledger, Retention, Usage, Worker } from './metering.ts'
import {
  NAME,
  SECONDS_MAX,
  acceptedKeys,
  characters,
  integer,
  list,
  mapping,
  number,
  oneOf,
  secretKey,
  text,
} from './schema-nodes.ts'
import { Payments, StripeKey, StripeWebhookSecrets } from './payments.ts'
import { Plans, Price, modelId, planName } from './plans.ts'
import { Tracing, TracingHeaders } from './tracing.ts'

/** In the year 2286. */
const UNIX_SECONDS_MAX = 10_000_000_000
const TOKENS_MAX = 1_000_000_000
const SECRET_LENGTH_MAX = 4096
const SLOTS_MAX = 100_000

function engineName(description: string) {
  return text(NAME, 256, 'a name of letters, digits and . _ - (at most 256)', { description })
}

function isEngineUrl(value: string): boolean {
  return URL.canParse(value) && !/[@?#]/.test(value)
}

// An @ after the host means that the password contains an unencoded / ? or #. The parts that look
// like host, port or database then belong to the password and must not be printed.
function isStoreUrl(value: string, path: RegExp): boolean {
  if (!URL.canParse(value)) return false
  const { pathname, search, hash } = new URL(value)
  return path.test(pathname) && !search.includes('@') && hash === ''
}

function isDate(value: string): boolean {
  const date = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString() === `${value}T00:00:00.000Z`
}

const engineUrl = text('https?://\\S+', 2048, 'an http or https URL without credentials or query', {
  description: 'Base URL, without `/v1` and without credentials.',
})

export const VariableName = text(
  '[A-Z][A-Z0-9_]*',
  128,
  'the NAME of a variable: capital letters, digits and _',
  { description: 'NAME of the environment variable that contains the API key of the engine.' },
)

const Engine = mapping(
  {
    name: engineName('Name by which models refer to the engine.'),
    kind: oneOf(
      ['llama-server', 'vllm', 'sglang', 'openai'],
      'Server software. `openai`: any other server with the chat completions convention.',
    ),
    capabilities: Type.Optional(Capabilities),
    workers: Type.Optional(Workers),
    data_parallel_ranks: Type.Optional(Ranks),
    organization: Type.Optional(Organization),
    url: Type.Optional(Type.Refine(engineUrl, isEngineUrl)),
    discover: Type.Optional(Discover),
    api_key_env: Type.Optional(VariableName),
    api_key: Type.Optional(
      text('[\\x21-\\x7e]+', SECRET_LENGTH_MAX, 'visible ASCII without spaces (at most 4096)', {
        secret: 'text',
      }),
    ),
    slots: Type.Union([Type.Integer({ minimum: 1, maximum: SLOTS_MAX }), Type.Literal('auto')], {
      description:
        'Maximum concurrent requests, of all processes together. `auto`: what llama-server and ' +
        'SGLang report at the start (4 and 128 if they do not answer), 256 for vLLM, and 1 for ' +
        'others.',
      expected: `an integer from 1 to ${SLOTS_MAX}, or auto`,
    }),
    model_name: Type.Optional(
      characters(1024, 'Model name that is sent to the engine (default: the model id).'),
    ),
    prompt_cache: oneOf(
      ['auto', 'exclusive', 'none'],
      'Whether requests of one organization may reuse what the engine has cached of its prompts. ' +
        '`auto`: on engines that have salts, not on llama-server. `exclusive`: also on ' +
        'llama-server, because one `api` process is all that uses it.',
      'auto',
    ),
  },
  'Servers that run models.',
)

const Reasoning = mapping(
  {
    supported_efforts: list(characters(64, 'Effort.'), 'a list of at least one effort', {
      description:
        'Values of `reasoning_effort` that the model accepts. Without `none` it always reasons.',
      minItems: 1,
    }),
    default_effort: Type.Optional(
      characters(64, 'Default of `reasoning_effort`; one of `supported_efforts`.'),
    ),
  },
  'Reasoning settings; omit for models without reasoning.',
)

const ENGINE_OF_MODEL =
  'the name of an engine, or { name, weight } with a weight from 0.001 to 1000'

const EngineOfModel = Type.Union(
  [
    engineName('Name of an engine.'),
    Type.Object(
      {
        name: engineName('Name of an engine.'),
        weight: Type.Number({ minimum: 0.001, maximum: 1000 }),
      },
      { additionalProperties: false },
    ),
  ],
  { expected: ENGINE_OF_MODEL },
)

const maxTokens = integer(1, TOKENS_MAX, 'Default of `max_tokens`.')

const Model = mapping(
  {
    id: modelId('Id that clients send as `model`.'),
    owned_by: characters(256, 'Owner of the model.'),
    created: integer(
      0,
      UNIX_SECONDS_MAX,
      'Release time of the model, as a Unix timestamp in seconds.',
      0,
    ),
    shutdown_date: Type.Union([Type.Refine(Type.String(), isDate), Type.Null()], {
      description: 'First day (UTC) on which the model is unavailable, or null.',
      expected: 'a real date written YYYY-MM-DD, or null',
      default: null,
    }),
    context_length: Type.Optional(
      integer(1, TOKENS_MAX, 'Maximum tokens of prompt and output together.'),
    ),
    max_output_tokens: Type.Optional(integer(1, TOKENS_MAX, 'Maximum tokens of one response.')),
    default_parameters: Type.Optional(
      mapping({ max_tokens: Type.Optional(maxTokens) }, 'Defaults of request parameters.'),
    ),
    price: Type.Optional(Price),
    reasoning: Type.Optional(Reasoning),
    reasoning_history: oneOf(
      ['required', 'optional'],
      'Whether clients must send `reasoning_content` back with earlier assistant messages.',
      'optional',
    ),
    stop: oneOf(
      ['ignored', 'applied'],
      'Whether answers end at the strings that a request names in `stop`.',
      'ignored',
    ),
    neutralise_control_tokens: Type.Boolean({
      description: 'Break up control tokens in client input, so that it cannot forge chat turns.',
      expected: 'true or false',
      default: true,
    }),
    control_tokens: list(characters(64, 'Control token.'), 'a list of control tokens', {
      description:
        'Control tokens of the model that neither the built-in patterns nor its vocabulary cover.',
      default: [],
    }),
    control_tokens_file: Type.Optional(
      characters(
        4096,
        'File with the vocabulary of the model: `tokenizer.json`, `tokenizer_config.json`, ' +
          '`tekken.json` or a GGUF file. Its control tokens are broken up too.',
      ),
    ),
    first_token_seconds: number(0.1, SECONDS_MAX, 120, 'Timeout until the first token.'),
    idle_seconds: number(0.1, SECONDS_MAX, 60, 'Timeout between two tokens.'),
    total_seconds: number(0.1, SECONDS_MAX, 1800, 'Timeout for the whole generation.'),
    aliases: list(modelId('Another id.'), 'a list of model ids', {
      description: 'Other ids by which clients may ask for the model; answers have its own id.',
      default: [],
    }),
    fallback: list(modelId('Id of a model.'), 'a list of model ids', {
      description:
        'Models that answer, in this order, while no engine of the model is ready; each for ' +
        'callers who may use it, at its own price and under its own id.',
      default: [],
    }),
    engines: list(EngineOfModel, 'a list of at least one engine name', {
      description:
        'Engines that serve the model: names, or mappings of `name` and `weight`. An engine of ' +
        'weight 0.1 gets a tenth of the conversations of one of weight 1, the default.',
      minItems: 1,
      uniqueBy: 'name',
    }),
  },
  'Models that clients can request.',
)

const databaseUrl = text(
  'postgres(ql)?://\\S+',
  SECRET_LENGTH_MAX,
  'postgres://user:password@host:5432/database, percent-encoded',
  {
    description: 'URL of the PostgreSQL database.',
    secret: 'url',
    environment: 'HEADRACE_DATABASE_URL',
    example: 'postgres://headrace:headrace@127.0.0.1:5432/headrace',
  },
)

const VALKEY_URLS = 'redis:// or rediss://user:password@host:6379, percent-encoded'
const valkeyUrl = Type.Refine(
  text('rediss?://[^\\s/]\\S*', SECRET_LENGTH_MAX, VALKEY_URLS, { secret: 'url' }),
  (url) => isStoreUrl(url, /^(\/\d*)?$/),
)

/** A `secret` is read from the variable named by `environment`, never from the file. */
export const ConfigSchema = mapping(
  {
    api: Api,
    engines: list(Engine, 'a list of engines', { uniqueBy: 'name' }),
    models: list(Model, 'a list of models', { uniqueBy: 'id' }),
    plans: Plans,
    default_plan: planName,
    currency: text('[A-Z]{3}', 3, 'three capital letters such as USD', {
      description: 'Currency of all prices and balances.',
      default: 'USD',
    }),
    usage: Usage,
    worker: Worker,
    console: Console,
    ledger: Ledger,
    retention: Retention,
    payments: Payments,
    tracing: Tracing,
    database: Database,
    database_url: Type.Refine(databaseUrl, (url) => isStoreUrl(url, /^\/[^/@]+$/)),
    valkey_urls: list(valkeyUrl, VALKEY_URLS, {
      description: 'URL of the Valkey server, or comma-separated URLs of cluster nodes.',
      minItems: 1,
      environment: 'HEADRACE_VALKEY_URL',
      example: 'redis://127.0.0.1:6379',
    }),
    signing_key: Type.Optional(
      secretKey(
        'HEADRACE_SIGNING_KEY',
        'Key that signs playground credentials and marks in tool-call ids, and seals secrets of ' +
          'authenticator apps, identity providers and webhooks, and cookies of known devices.',
      ),
    ),
    accepted_signing_keys: acceptedKeys(
      'HEADRACE_ACCEPTED_SIGNING_KEYS',
      'Earlier signing keys that stay valid while the key is rotated.',
    ),
    smtp_url: Type.Optional(
      text('smtps?://\\S+', SECRET_LENGTH_MAX, 'smtp:// or smtps://user:password@host:587', {
        description: 'URL of the SMTP server that sends email of the console.',
        secret: 'url',
        environment: 'HEADRACE_SMTP_URL',
        example: 'smtps://user:password@mail.example.com:465',
      }),
    ),
    stripe_key: StripeKey,
    stripe_webhook_secrets: StripeWebhookSecrets,
    tracing_headers: TracingHeaders,
    content_key: Type.Optional(
      secretKey(
        'HEADRACE_CONTENT_KEY',
        'Key that encrypts retained content; without it no content is retained.',
      ),
    ),
    accepted_content_keys: acceptedKeys(
      'HEADRACE_ACCEPTED_CONTENT_KEYS',
      'Other content keys that still decrypt content, while the key is rotated.',
    ),
  },
  'The configuration.',
)

type DeepReadonly<Value> = { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }

export type Config = DeepReadonly<Static<typeof ConfigSchema>>
