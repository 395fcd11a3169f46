import type { Config } from '../../config/load.ts'
import { verifySmtp } from '../../platform/mail/verify-smtp.ts'
import { readVocabularies } from '../../start/read-vocabularies.ts'
import { hasUnknownProxy } from '../../store/sign-in/unknown-proxy.ts'
import { openValkey } from '../../store/valkey/valkey.ts'
import { countOf } from '../count-of.ts'
import {
  failed,
  notChecked,
  ok,
  resultOf,
  runChecks,
  warning,
  type Check,
  type Result,
  type Time,
} from './run-checks.ts'

export function checkConfiguration(config: Config, time: Time): Promise<Result[]> {
  return runChecks({ group: 'configuration' }, config, CONFIGURATION, time)
}

export function checkMail(config: Config, time: Time): Promise<Result[]> {
  return runChecks({ group: 'mail' }, { config, connectMs: time.connectMs }, MAIL, time)
}

export function checkConsole(config: Config, time: Time): Promise<Result[]> {
  return runChecks({ group: 'console' }, { config, connectMs: time.connectMs }, CONSOLE, time)
}

/** Of a configuration that was not accepted. */
export function invalidConfiguration(problems: readonly string[]): Result[] {
  const hint = 'Correct the file or the variable; docs/configuration.md lists every setting.'
  return problems.map((problem) =>
    resultOf({ group: 'configuration' }, 'valid', failed(problem, hint)),
  )
}

const CONFIGURATION: readonly Check<Config>[] = [
  {
    name: 'valid',
    run: ({ engines, models, plans }) => {
      const planCount = Object.keys(plans).length
      const counted = `${countOf(engines.length, 'engine')}, ${countOf(models.length, 'model')}`
      return ok(`${counted}, ${countOf(planCount, 'plan')}`)
    },
  },
  {
    name: 'signing key',
    run: ({ signing_key: key }) =>
      key === undefined
        ? warning(
            'not set',
            'Set HEADRACE_SIGNING_KEY: the playground and several processes need it.',
          )
        : ok('set'),
  },
  {
    name: 'vocabulary files',
    run(config) {
      const count = config.models.filter((model) => model.control_tokens_file !== undefined).length
      try {
        readVocabularies(config)
        return ok(`${count} readable`)
      } catch {
        return failed('a file cannot be read', 'Correct control_tokens_file of the model.')
      }
    },
  },
]

type Subject = { readonly config: Config; readonly connectMs: number }

const MAIL: readonly Check<Subject>[] = [
  {
    name: 'server',
    async run({ config, connectMs }) {
      const { smtp_url: url, console: settings } = config
      const from = settings.email_from
      if (url === undefined && from === undefined) return ok('not configured, no mail is sent')
      if (url === undefined || from === undefined)
        return warning(
          `${url === undefined ? 'HEADRACE_SMTP_URL' : 'console.email_from'} is not set`,
          'Set both, or neither: without one of them no mail is sent.',
        )
      await verifySmtp(url, connectMs)
      return ok(new URL(url).host)
    },
  },
]

const LOCAL = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

const CONSOLE: readonly Check<Subject>[] = [
  {
    name: 'public address',
    run({ config }) {
      const { public_url: address } = config.console
      const { protocol, hostname } = new URL(address)
      if (LOCAL.test(hostname))
        return warning(address, 'Set console.public_url to the address that people open.')
      return protocol === 'https:'
        ? ok(address)
        : failed(address, 'Put TLS in front, and set console.public_url to an https address.')
    },
  },
  {
    name: 'api address',
    run({ config }) {
      const { api_url: address } = config.console
      const hint = 'Set console.api_url to the public address of the API, with https.'
      if (address === undefined) return warning('not set', `${hint} The playground needs it.`)
      const { protocol, hostname } = new URL(address)
      return protocol === 'https:' || LOCAL.test(hostname) ? ok(address) : failed(address, hint)
    },
  },
  {
    name: 'proxies',
    run: (context) =>
      checkProxies(context, 'console', 'all clients seem to be one, and share their limits.'),
  },
  {
    name: 'API proxies',
    run: (context) =>
      checkProxies(context, 'api', 'lists of allowed networks see only the address of the proxy.'),
  },
]

/** Whether forwarded addresses arrived within a day at processes that trust no proxy. */
async function checkProxies(
  { config, connectMs }: { readonly config: Config; readonly connectMs: number },
  behind: 'api' | 'console',
  otherwise: string,
) {
  const { trusted_proxies: count } = config[behind]
  if (count > 0) return ok(`${count} trusted`)
  await using valkey = openValkey(config.valkey_urls)
  const reached = await valkey.connected(connectMs).then(
    () => true,
    () => false,
  )
  // The group of Valkey says so.
  if (!reached) return notChecked('Valkey is not reachable')
  return (await hasUnknownProxy(valkey, behind))
    ? warning(
        '0 trusted, but X-Forwarded-For arrives',
        `Set ${behind}.trusted_proxies to the number of proxies: ${otherwise}`,
      )
    : ok('none')
}
