// The single definition of every setting: types, checks, error messages, docs/configuration.md and
// .env.example are derived from this schema.
import { Type, type Static } from 'typebox'
import { Retention, Usage, Worker } from './metering.ts'
import {
  NAME,
  SECONDS_MAX,
  characters,
  integer,
  list,
  mapping,
  number,
  oneOf,
  secretKey,
  text,
} from './schema-nodes.ts'
import { Plans, Price, modelId, planName } from './plans.ts'

/** In the year 2286. */
const UNIX_SECONDS_MAX = 10_000_000_000
const TOKENS_MAX = 1_000_000_000
const SECRET_LENGTH_MAX = 4096

const ORIGIN = 'https?://([a-z0-9.-]+|\\[[0-9a-f:]+\\])(:[0-9]{1,5})?'

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

const origin = text(`(\\*|${ORIGIN})`, 512, "'*' or an origin such as https://app.example.com")

const Api = mapping(
  {
    host: text('[A-Za-z0-9.:_-]+', 255, 'an IP address or a host name', {
      description: 'Listen address of the API and the health port.',
      default: '127.0.0.1',
    }),
    port: integer(0, 65_535, 'Port of the API. 0 picks a free port.', 8080),
    health_port: integer(
      0,
      65_535,
      'Port of health checks and metrics. 0 picks a free port.',
      9090,
    ),
    path_segment: text(NAME, 64, 'one path segment: letters, digits and . _ - (at most 64)', {
      description: 'First segment of the API root, which is `/<path_segment>/v1`.',
      default: 'compat',
    }),
    retention_header: text('[a-z0-9][a-z0-9-]*', 64, 'a header name in lowercase (at most 64)', {
      description: 'Response header that reports the data retention of a request.',
      default: 'service-data-retention',
    }),
    body_bytes_max: integer(1024, 2 ** 30, 'Maximum request body size, in bytes.', 10_485_760),
    cors_origins: list(origin, 'a list of origins', {
      description: "Origins allowed to call the API from a browser; `['*']` allows any.",
      default: ['*'],
    }),
    linger_seconds: number(
      0,
      SECONDS_MAX,
      5,
      'How long new requests are still accepted after SIGTERM.',
    ),
    drain_seconds: number(
      0,
      SECONDS_MAX,
      600,
      'How long streams may then continue before they are ended with an error event.',
    ),
    read_pause_seconds: number(
      0,
      1,
      0.06,
      'Maximum read pause while the process is busy, so that pieces share a write; 0 disables it.',
    ),
    probe_engines: Type.Boolean({
      description: 'Test the required capabilities of every engine after start.',
      expected: 'true or false',
      default: true,
    }),
    reuse_port: Type.Boolean({
      description: 'Let several processes share the port (SO_REUSEPORT), for one process per core.',
      expected: 'true or false',
      default: false,
    }),
    connections_max: integer(1, 1_000_000, 'Maximum client connections per process.', 20_000),
    log_level: oneOf(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'Log level.',
      'info',
    ),
    key_prefix: text('[a-z0-9]{2,16}', 16, '2 to 16 lowercase letters and digits', {
      description: 'Prefix of issued API keys, for secret scanners.',
      default: 'headrace',
    }),
  },
  'Settings of `headrace api`. Each scalar can also be set in the environment.',
  {},
)

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
    kind: oneOf(['llama-server', 'vllm', 'sglang'], 'Server software.'),
    url: Type.Refine(engineUrl, isEngineUrl),
    api_key_env: Type.Optional(VariableName),
    api_key: Type.Optional(
      text('[\\x21-\\x7e]+', SECRET_LENGTH_MAX, 'visible ASCII without spaces (at most 4096)', {
        secret: 'text',
      }),
    ),
    slots: integer(1, 100_000, 'Maximum concurrent requests.'),
    model_name: Type.Optional(
      characters(1024, 'Model name that is sent to the engine (default: the model id).'),
    ),
  },
  'Servers that run models.',
)

const Reasoning = mapping(
  {
    supported_efforts: list(characters(64, 'Effort.'), 'a list of at least one effort', {
      description: 'Values of `reasoning_effort` that the model accepts.',
      minItems: 1,
    }),
    default_effort: Type.Optional(
      characters(64, 'Default of `reasoning_effort`; one of `supported_efforts`.'),
    ),
    mandatory: Type.Boolean({
      description: 'The model always reasons.',
      expected: 'true or false',
      default: false,
    }),
  },
  'Reasoning settings; omit for models without reasoning.',
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
    bytes_per_token: number(
      0.5,
      16,
      4,
      'Bytes per input token, for estimates before a request runs.',
    ),
    neutralise_control_tokens: Type.Boolean({
      description: 'Break up control tokens in client input, so that it cannot forge chat turns.',
      expected: 'true or false',
      default: true,
    }),
    control_tokens: list(characters(64, 'Control token.'), 'a list of control tokens', {
      description:
        'Additional control tokens of the model that the built-in patterns do not cover.',
      default: [],
    }),
    first_byte_seconds: number(0.1, SECONDS_MAX, 120, 'Timeout until the first token.'),
    idle_seconds: number(0.1, SECONDS_MAX, 60, 'Timeout between two tokens.'),
    total_seconds: number(0.1, SECONDS_MAX, 1800, 'Timeout for the whole generation.'),
    engines: list(engineName('Name of an engine.'), 'a list of at least one engine name', {
      description: 'Names of the engines that serve the model.',
      minItems: 1,
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
    retention: Retention,
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
        'Key that signs playground credentials and marks in tool-call ids.',
      ),
    ),
    content_key: Type.Optional(
      secretKey(
        'HEADRACE_CONTENT_KEY',
        'Key that encrypts retained content; without it no content is retained.',
      ),
    ),
  },
  'The configuration.',
)

type DeepReadonly<Value> = { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }

export type Config = DeepReadonly<Static<typeof ConfigSchema>>
