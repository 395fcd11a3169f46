// The settings of `headrace console`: the management API and the web app.
import { Type } from 'typebox'
import { characters, integer, list, mapping, number, oneOf, text } from './schema-nodes.ts'

const ADDRESS = 'https?://[^\\s?#@]+'
const HOURS_MAX = 8_760

function page(description: string) {
  const must = 'an http or https URL'
  return Type.Optional(text('https?://[^\\s<>"]+', 320, must, { description }))
}

function address(description: string, fallback?: string) {
  return text(ADDRESS, 2048, 'an http or https URL without credentials, query and fragment', {
    description,
    ...(fallback !== undefined && { default: fallback }),
  })
}

export const Console = mapping(
  {
    port: integer(0, 65_535, 'Port of the console. 0 picks a free port.', 8081),
    health_port: integer(
      0,
      65_535,
      'Port of health checks and metrics. 0 picks a free port.',
      9092,
    ),
    public_url: address(
      'Address at which browsers reach the console; may end in a path. Cookies, links, passkeys ' +
        'and SSO use it, never the Host header.',
      'http://localhost:8081',
    ),
    api_url: Type.Optional(address('Public address of the API root, for playground and examples.')),
    sign_up: oneOf(
      ['closed', 'waiting', 'open'],
      'Who may create an account: only invited people, anyone who then waits, or anyone.',
      'closed',
    ),
    sign_up_domains: list(characters(253, 'Domain.'), 'a list of domains', {
      description: 'Email domains whose accounts skip the waiting list.',
      default: [],
    }),
    email_from: Type.Optional(
      characters(320, 'Sender address of email. Without it and HEADRACE_SMTP_URL none is sent.'),
    ),
    trusted_proxies: integer(
      0,
      16,
      'Number of proxies in front that append to X-Forwarded-For. 0: clients connect directly.',
      0,
    ),
    session_hours: number(
      0.1,
      HOURS_MAX,
      720,
      'Longest session; of operators and owners of organizations, 12 hours at most.',
    ),
    require_second_factor: oneOf(
      ['none', 'operators', 'all'],
      'Whose sign-in needs a second factor.',
      'operators',
    ),
    private_issuer_hosts: list(characters(253, 'Host name or IP address.'), 'a list of hosts', {
      description:
        'Hosts of identity providers that may have http and private addresses, for intranets.',
      default: [],
    }),
    private_webhook_hosts: list(characters(253, 'Host name or IP address.'), 'a list of hosts', {
      description: 'Hosts of webhooks that may have http and private addresses, for intranets.',
      default: [],
    }),
    dns_servers: list(characters(100, 'Address and port.'), 'a list of addresses', {
      description: 'DNS servers that verify domains; default: those of the system.',
      default: [],
    }),
    terms: Type.Optional(
      mapping(
        {
          version: characters(100, 'Version of the terms.'),
          url: address('Address of the text.'),
        },
        'Terms that people accept when they register.',
      ),
    ),
    api_health_urls: list(address('Address of a health port.'), 'a list of addresses', {
      description:
        'Health ports of the API processes and workers, for the pages of engines and processes.',
      default: [],
    }),
    contact: Type.Optional(
      text(
        '(?:https?://[^\\s<>"]+|[^\\s@<>":]+@[^\\s@<>":]+)',
        320,
        'an email address or an http or https URL',
        { description: 'How people reach the operator, for the pages of the console.' },
      ),
    ),
    docs: Type.Optional(
      characters(
        4096,
        'Documentation, to which the help menu leads: an http or https URL, or the folder of the ' +
          'unpacked documentation site, which the console then serves at `/docs`.',
      ),
    ),
    status_url: page('Status page of the service, in the help menu.'),
    funding_help: Type.Optional(
      characters(1000, 'A sentence that tells organizations how to add money.'),
    ),
  },
  'Settings of `headrace console`.',
  {},
)
