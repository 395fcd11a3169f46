// The settings of `headrace api`.
import { Type } from 'typebox'
import { NAME, SECONDS_MAX, integer, list, mapping, number, oneOf, text } from './schema-nodes.ts'

const ORIGIN = 'https?://([a-z0-9.-]+|\\[[0-9a-f:]+\\])(:[0-9]{1,5})?'

const origin = text(`(\\*|${ORIGIN})`, 512, "'*' or an origin such as https://app.example.com")

export const Api = mapping(
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
    body_budget_bytes: integer(
      65_536,
      2 ** 40,
      'Maximum size of all request bodies in memory, per process; one organization gets half.',
      268_435_456,
    ),
    cors_origins: list(origin, 'a list of origins', {
      description: "Origins allowed to call the API from a browser; `['*']` allows any.",
      default: ['*'],
    }),
    trusted_proxies: integer(
      0,
      16,
      'Number of proxies in front that append to X-Forwarded-For, for the networks that an ' +
        'organization allows. 0: clients connect directly.',
      0,
    ),
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
    probe_engines: Type.Boolean({
      description: 'Test the required capabilities of every engine after start.',
      expected: 'true or false',
      default: true,
    }),
    queue_seconds: number(
      0.1,
      SECONDS_MAX,
      3,
      'How long a request may wait for a slot; one that would wait longer is refused at once.',
    ),
    fleet: text(NAME, 64, 'a name of letters, digits and . _ - (at most 64)', {
      description: 'Processes with the same name share the slots and states of engines.',
      default: 'main',
    }),
    log_level: oneOf(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'Log level.',
      'info',
    ),
    access_log: Type.Boolean({
      description: 'Log a line at the end of every request, without content.',
      expected: 'true or false',
      default: false,
    }),
    key_prefix: text('[a-z0-9]{2,16}', 16, '2 to 16 lowercase letters and digits', {
      description: 'Prefix of issued API keys, for secret scanners.',
      default: 'headrace',
    }),
  },
  'Settings of `headrace api`. Each scalar can also be set in the environment.',
  {},
)
