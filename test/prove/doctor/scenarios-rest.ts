import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hasUnknownProxy } from '../../../src/store/sign-in/unknown-proxy.ts'
import { unknownProxyKey } from '../../../src/store/valkey/keys.ts'
import { chooseFreePort } from '../../../stack/ports.ts'
import { modelOn } from '../../harness/environment.ts'
import { chunk, ending, ROLE } from '../../harness/fake-engine/events.ts'
import { begin, startFakeEngine } from '../../harness/fake-engine/server.ts'
import { waitUntil } from '../../harness/figures/measure.ts'
import { startPostgres } from '../../harness/servers/postgres-server.ts'
import type { Scenario } from './scenario.ts'

const TIMEOUT_MS = 30_000
const PORT_FIRST = 25_600
const TERABYTE = 2 ** 40

export const invalidConfiguration: Scenario = {
  name: 'an invalid configuration',
  spoil: () => Promise.resolve({ variables: { HEADRACE_DATABASE_URL: '' } }),
  exitCode: 78,
  expected: {
    'configuration valid': ['failed', /HEADRACE_DATABASE_URL is not set/, /configuration\.md/],
  },
}

export const badSettings: Scenario = {
  name: 'settings and limits of a trial',
  limits: 'ulimit -n 256; ulimit -S -c 1',
  async spoil({ writeVariant, variables }) {
    const file = await writeVariant({
      models: [
        { id: 'm', owned_by: 'test', engines: ['real'], control_tokens_file: '/nonexistent.gguf' },
      ],
      api: { body_budget_bytes: TERABYTE },
      console: {
        public_url: 'http://console.example.com',
        api_url: 'http://api.example.com',
        email_from: 'headrace@example.com',
      },
    })
    const credentials = variables['HEADRACE_SMTP_URL']?.replace('//', '//user:mail-password@') ?? ''
    const own = { HEADRACE_CONFIG: file, HEADRACE_SIGNING_KEY: '', HEADRACE_SMTP_URL: credentials }
    return { variables: own }
  },
  exitCode: 1,
  expected: {
    'configuration signing key': ['warning', /not set/, /HEADRACE_SIGNING_KEY/],
    'configuration vocabulary files': ['failed', /cannot be read/, /control_tokens_file/],
    'machine open files': ['warning', /^256,/, /ulimit -n/],
    'machine core dumps': ['warning', /on/, /ulimit -c 0/],
    'machine memory': ['warning', /MiB/, /body_budget_bytes/],
    'mail server': ['failed', /credentials/, /password/],
    'console public address': ['failed', /http:/, /https/],
    'console api address': ['failed', /http:/, /https/],
  },
}

export const stoppedMail: Scenario = {
  name: 'a stopped mail server',
  args: ['--only', 'mail'],
  async spoil({ mail }) {
    await mail[Symbol.asyncDispose]()
    return {}
  },
  exitCode: 1,
  expected: { 'mail server': ['failed', /refused/, /Start it/] },
}

/** A proxy in front of the console that the configuration does not name. */
export const hiddenProxy: Scenario = {
  name: 'a proxy that is not configured',
  args: ['--only', 'console'],
  async spoil({ environment, valkey }) {
    const console_ = await environment.startConsole({ HEADRACE_CONSOLE_HEALTH_PORT: '0' })
    await fetch(`${console_.apiRoot}/me`, { headers: { 'x-forwarded-for': '203.0.113.9' } })
    await waitUntil('the proxy to be noticed', () => hasUnknownProxy(valkey, 'console'), TIMEOUT_MS)
    return {
      async restore() {
        await console_[Symbol.asyncDispose]()
        await valkey.call('DEL', [unknownProxyKey('console')])
      },
    }
  },
  exitCode: 0,
  expected: { 'console proxies': ['warning', /X-Forwarded-For/, /trusted_proxies/] },
}

/** Of a real server: a wrong key, a wrong name, too many slots; and none at all. */
export const wrongEngines: Scenario = {
  name: 'engines that are wrong',
  args: ['--only', 'engines'],
  async spoil({ engine, writeVariant }) {
    await using vllm = new AsyncDisposableStack()
    const served = createServer((_, response) => void response.end('{"data":[{"id":"other"}]}'))
    served.listen(0, '127.0.0.1')
    await once(served, 'listening')
    vllm.defer(() => void served.close())
    const real = { kind: 'llama-server', url: engine.url, slots: 4 }
    const key = { api_key_env: 'HEADRACE_ENGINE_KEY' }
    const named = (name: string, more: object) => ({ name, ...real, ...more })
    const engines = [
      named('wrong-key', { api_key_env: 'WRONG_KEY' }),
      named('keyless', {}),
      named('renamed', { ...key, model_name: 'other' }),
      named('crowded', { ...key, slots: 64, model_name: 'pebble' }),
      named('unused', { ...key, model_name: 'pebble' }),
      named('stopped', { url: `http://127.0.0.1:${await chooseFreePort(PORT_FIRST)}` }),
      named('vllm', {
        kind: 'vllm',
        url: `http://127.0.0.1:${(served.address() as AddressInfo).port}`,
      }),
    ]
    const used = engines.map(({ name }) => name).filter((name) => name !== 'unused')
    const models = [{ id: 'm', owned_by: 'test', engines: used }]
    const file = await writeVariant({ engines, models })
    const running = vllm.move()
    return {
      variables: { HEADRACE_CONFIG: file, WRONG_KEY: 'not-the-key-of-the-engine' },
      restore: () => running.disposeAsync(),
    }
  },
  exitCode: 1,
  expected: {
    'engines wrong-key: reachable': ['ok', /127/],
    'engines wrong-key: credentials': ['failed', /rejects/, /Correct WRONG_KEY/],
    'engines wrong-key: model': ['not_checked', /key/],
    'engines keyless: credentials': ['failed', /wants a key/, /api_key_env/],
    'engines renamed: model': ['warning', /serves pebble, not other/, /model_name/],
    'engines crowded: slots': ['warning', /64, but the engine has 4/, /--parallel/],
    'engines unused: model': ['warning', /serves pebble/, /Name the engine/],
    'engines stopped: reachable': ['failed', /refused/, /Start it/],
    'engines stopped: credentials': ['not_checked', /not reachable/],
    'engines vllm: model': ['failed', /serves other, not m/, /model_name/],
  },
}

/** A real api process has probed a scripted engine that can do little. */
export const incapableEngine: Scenario = {
  name: 'an engine without capabilities, a process that does not answer, another version',
  async spoil({ environment, writeVariant, healthUrls }) {
    await using starting = new AsyncDisposableStack()
    const saying = (content: string) =>
      startFakeEngine(({ response }) => {
        const text = chunk({ content })
        begin(response).end(ROLE + text + ending({ prompt: 10, completion: 1 }))
      })
    const scripted = starting.use(await saying('Hello'))
    // What the probe asks for, as if a schema had been followed.
    const able = starting.use(await saying('{"word":"quorvexil"}'))
    const other = createServer((_, response) => void response.end(OTHER_VERSION))
    other.listen(0, '127.0.0.1')
    await once(other, 'listening')
    starting.defer(() => void other.close())
    const port = await chooseFreePort(PORT_FIRST)
    const own = `http://127.0.0.1:${port}`
    const named = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    const silent = `http://127.0.0.1:${await chooseFreePort(port + 1)}`
    const file = await writeVariant({
      engines: [
        { name: 'scripted', kind: 'llama-server', url: scripted.url, slots: 4 },
        { name: 'able', kind: 'llama-server', url: able.url, slots: 4 },
      ],
      models: [{ id: modelOn('scripted'), owned_by: 'test', engines: ['scripted', 'able'] }],
      console: { api_health_urls: [own, healthUrls[1], named, silent] },
    })
    const variables = { HEADRACE_CONFIG: file, HEADRACE_API_HEALTH_PORT: `${port}` }
    starting.use(await environment.startApi(variables))
    const probed = async () => {
      const page = (await (await fetch(`${own}/engines`)).json()) as { readonly engines: object }
      return !Object.values(page.engines).includes(null)
    }
    await waitUntil('the engine to be probed', probed, TIMEOUT_MS)
    const running = starting.move()
    return { variables, restore: () => running.disposeAsync() }
  },
  exitCode: 1,
  expected: {
    'engines scripted: capabilities': ['warning', /without .*json_schema/, /the-probe/],
    [`engines ${modelOn('scripted')}: alike`]: [
      'warning',
      /json_schema missing on scripted/,
      /same flags/,
    ],
  },
}

/** The process of a release that is not this one. */
const OTHER_VERSION = JSON.stringify({
  kind: 'console',
  version: '0.0.1',
  started_at: '2026-01-01T00:00:00.000Z',
  configuration: 'none',
})

/** What `headrace doctor --pre` says about an empty database. */
export const beforeMigration: Scenario = {
  name: 'a new database',
  args: ['--pre', '--only', 'postgresql'],
  async spoil() {
    const settings = ['archive_mode=on', 'archive_command=/bin/true']
    const empty = await startPostgres({ durable: true, migrated: false, settings })
    return {
      variables: { HEADRACE_DATABASE_URL: empty.url },
      restore: () => empty[Symbol.asyncDispose](),
    }
  },
  exitCode: 0,
  expected: {
    'postgresql rights': ['ok', /may create/],
    'postgresql migrations': ['ok', /^0 applied, \d+ pending$/],
  },
}
