// Every setting, once: the types, the checks, the fault texts, docs/configuration.md and
// .env.example all come from the schema in this file.
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

// An @ behind the host means that the password holds a / ? or # that is not encoded: what then
// looks like host, port or database is a part of the password, and must not be shown as such.
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
      description: 'Address that the API and the health port listen on.',
      default: '127.0.0.1',
    }),
    port: integer(0, 65_535, 'Port of the API. 0 takes any free port.', 8080),
    health_port: integer(0, 65_535, 'Port of health checks. 0 takes any free port.', 9090),
    path_segment: text(NAME, 64, 'one path segment: letters, digits and . _ - (at most 64)', {
      description: 'First segment of the API root, which is `/<path_segment>/v1`.',
      default: 'compat',
    }),
    retention_header: text('[a-z0-9][a-z0-9-]*', 64, 'a header name in lowercase (at most 64)', {
      description: 'Response header that reports the data retention of a request.',
      default: 'service-data-retention',
    }),
    body_bytes_max: integer(1024, 2 ** 30, 'Largest request body, in bytes.', 10_485_760),
    cors_origins: list(origin, 'a list of origins', {
      description: "Web origins that may call the API from a browser; `['*']` is any.",
      default: ['*'],
    }),
    linger_seconds: number(0, SECONDS_MAX, 5, 'How long it still accepts after a stop signal.'),
    drain_seconds: number(
      0,
      SECONDS_MAX,
      600,
      'How long streams go on after that; then an error event ends them.',
    ),
    read_pause_seconds: number(
      0,
      1,
      0.06,
      'How long a busy process may hold pieces back, to write them together; 0 for never.',
    ),
    probe_engines: Type.Boolean({
      description: 'Try on every engine, once it is reached, what the interface needs of it.',
      expected: 'true or false',
      default: true,
    }),
    reuse_port: Type.Boolean({
      description: 'Let several processes listen on the port; for one process per core.',
      expected: 'true or false',
      default: false,
    }),
    connections_max: integer(1, 1_000_000, 'Most client connections of one process.', 20_000),
    log_level: oneOf(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'Least severe level that is logged.',
      'info',
    ),
    key_prefix: text('[a-z0-9]{2,16}', 16, '2 to 16 lowercase letters and digits', {
      description: 'First part of every API key issued, so that secret scanners know it.',
      default: 'headrace',
    }),
  },
  'The data plane itself. Each single value can also be set in the environment.',
  {},
)

const engineUrl = text('https?://\\S+', 2048, 'an http or https URL without credentials or query', {
  description: 'Base address, without `/v1` and without credentials.',
})

export const VariableName = text(
  '[A-Z][A-Z0-9_]*',
  128,
  'the NAME of a variable: capital letters, digits and _',
  { description: "NAME of the environment variable with the engine's key, never the key." },
)

const Engine = mapping(
  {
    name: engineName('Name that models refer to.'),
    kind: oneOf(['llama-server', 'vllm', 'sglang'], 'Which software it is.'),
    url: Type.Refine(engineUrl, isEngineUrl),
    api_key_env: Type.Optional(VariableName),
    api_key: Type.Optional(
      text('[\\x21-\\x7e]+', SECRET_LENGTH_MAX, 'visible ASCII without spaces (at most 4096)', {
        secret: 'text',
      }),
    ),
    slots: integer(1, 100_000, 'Requests that it runs at the same time.'),
    model_name: Type.Optional(
      characters(1024, 'Name that the engine knows its model by; else the id of the model.'),
    ),
  },
  'A server that runs a model.',
)

const Reasoning = mapping(
  {
    supported_efforts: list(characters(64, 'An effort.'), 'a list of at least one effort', {
      description: 'Values of `reasoning_effort` that the model accepts.',
      minItems: 1,
    }),
    default_effort: Type.Optional(
      characters(64, 'Effort of a request that names none; one of `supported_efforts`.'),
    ),
    mandatory: Type.Boolean({
      description: 'The model always reasons.',
      expected: 'true or false',
      default: false,
    }),
  },
  'Present when the model reasons.',
)

const maxTokens = integer(1, TOKENS_MAX, 'Output limit of a request that sets none.')

const Model = mapping(
  {
    id: modelId('Id that clients send as `model`.'),
    owned_by: characters(256, 'Maker of the model.'),
    created: integer(0, UNIX_SECONDS_MAX, 'When the model came out, in seconds since 1970.', 0),
    shutdown_date: Type.Union([Type.Refine(Type.String(), isDate), Type.Null()], {
      description: 'Day (UTC) from which the model is gone, or null.',
      expected: 'a real date written YYYY-MM-DD, or null',
      default: null,
    }),
    context_length: Type.Optional(integer(1, TOKENS_MAX, 'Prompt and output together, in tokens.')),
    max_output_tokens: Type.Optional(integer(1, TOKENS_MAX, 'Most tokens of one answer.')),
    default_parameters: Type.Optional(
      mapping({ max_tokens: Type.Optional(maxTokens) }, 'For requests that leave them out.'),
    ),
    price: Type.Optional(Price),
    reasoning: Type.Optional(Reasoning),
    reasoning_history: oneOf(
      ['required', 'optional'],
      'Whether earlier assistant messages must come back with their `reasoning_content`.',
      'optional',
    ),
    bytes_per_token: number(0.5, 16, 4, 'For estimating input tokens from bytes.'),
    neutralise_control_tokens: Type.Boolean({
      description: 'Break up control tokens in what clients send, so that no text forges a turn.',
      expected: 'true or false',
      default: true,
    }),
    control_tokens: list(characters(64, 'A control token.'), 'a list of control tokens', {
      description: 'Control tokens of the model that do not look like the usual ones.',
      default: [],
    }),
    first_byte_seconds: number(0.1, SECONDS_MAX, 120, "Timeout for an engine's first piece."),
    idle_seconds: number(0.1, SECONDS_MAX, 60, 'Timeout between two pieces of an engine.'),
    total_seconds: number(0.1, SECONDS_MAX, 1800, 'Longest generation.'),
    engines: list(engineName('Name of an engine.'), 'a list of at least one engine name', {
      description: 'Names of the engines that serve the model.',
      minItems: 1,
    }),
  },
  'A model as clients see it.',
)

const databaseUrl = text(
  'postgres(ql)?://\\S+',
  SECRET_LENGTH_MAX,
  'postgres://user:password@host:5432/database, percent-encoded',
  {
    description: 'The PostgreSQL database.',
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

/** A `secret` comes from the variable named by `environment` and never from the file. */
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
      description: 'The Valkey server, or nodes of a cluster separated by commas.',
      minItems: 1,
      environment: 'HEADRACE_VALKEY_URL',
      example: 'redis://127.0.0.1:6379',
    }),
    signing_key: Type.Optional(
      secretKey('HEADRACE_SIGNING_KEY', 'Signs playground credentials and marks.'),
    ),
    content_key: Type.Optional(
      secretKey('HEADRACE_CONTENT_KEY', 'Encrypts kept content; without it nothing is kept.'),
    ),
  },
  'The configuration.',
)

type DeepReadonly<Value> = { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }

export type Config = DeepReadonly<Static<typeof ConfigSchema>>
