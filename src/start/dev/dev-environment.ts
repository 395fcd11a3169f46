import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { loadConfigFromProcess, ownVariables, type Config } from '../../config/load.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import { localHealthUrl } from '../health-port.ts'
import { readDevelopmentStack, type DevelopmentStack } from './stack-file.ts'

/**
 * The environment of `npm run headrace -- …`. `headrace dev` writes it, so that every command has
 * the configuration that runs.
 */
const ENVIRONMENT_FILE = '.stack/dev.env'
/** What a later run takes over from it. */
const KEPT = ['HEADRACE_SIGNING_KEY', 'HEADRACE_CONTENT_KEY', 'HEADRACE_DEMO_KEY']

/** The engine of the demo configuration, and its address there. */
const DEMO_ENGINE = 'local'
const DEMO_ENGINE_URL = 'http://127.0.0.1:18080'

export type Variables = Readonly<Record<string, string>>

/** Defaults of the variables that are not set: the addresses of the stack, and its keys. */
export function readDevVariables(): Variables {
  const stack = readDevelopmentStack()
  if (stack === undefined)
    throw new OperatorError('the development stack is not running: run npm run stack -- up')
  const variables = {
    HEADRACE_SIGNING_KEY: randomBytes(32).toString('base64url'),
    HEADRACE_CONTENT_KEY: randomBytes(32).toString('base64url'),
    ...keptVariables(),
    HEADRACE_DATABASE_URL: stack.postgres.url,
    HEADRACE_VALKEY_URL: stack.valkey.url,
    HEADRACE_ENGINE_KEY: stack.engine.apiKey,
    HEADRACE_API_ACCESS_LOG: 'true',
    // There is no load balancer that has to notice a stop.
    HEADRACE_API_LINGER_SECONDS: '0',
    // The link on the terminal is enough: whoever reads it can run every command.
    HEADRACE_CONSOLE_REQUIRE_SECOND_FACTOR: 'none',
  }
  const config = loadConfigFromProcess(undefined, variables)
  return { ...variables, ...derivedVariables(config, stack) }
}

/** What the file leaves to the stack and to the ports in use. */
function derivedVariables({ api, worker, ...config }: Config, stack: DevelopmentStack): Variables {
  const { api_url: apiUrl, api_health_urls: healthUrls } = config.console
  const healthPorts = [api.health_port, worker.health_port]
  const engine = config.engines.find(({ name }) => name === DEMO_ENGINE)
  return {
    // The stack picks another port if the default one is in use.
    ...(engine?.url === DEMO_ENGINE_URL && { HEADRACE_ENGINES_LOCAL_URL: stack.engine.url }),
    ...(apiUrl === undefined && {
      HEADRACE_CONSOLE_API_URL: `http://localhost:${api.port}/${api.path_segment}/v1`,
    }),
    ...(healthUrls.length === 0 && {
      HEADRACE_CONSOLE_API_HEALTH_URLS: healthPorts
        .map((port) => localHealthUrl(api.host, port))
        .join(','),
    }),
  }
}

function keptVariables(): Variables {
  if (!existsSync(ENVIRONMENT_FILE)) return {}
  const previous = parseEnv(readFileSync(ENVIRONMENT_FILE, 'utf8'))
  return Object.fromEntries(
    KEPT.flatMap((name) => (previous[name] === undefined ? [] : [[name, previous[name]]])),
  )
}

/** Includes the variables that `headrace dev` was started with. */
export function writeDevVariables(variables: Variables, { engines }: Config): void {
  const engineKeys = engines.flatMap(({ api_key_env: name }) => name ?? [])
  const lines = Object.entries({ ...variables, ...ownVariables(engineKeys) })
  const text = lines.map(([name, value]) => `${name}=${quote(value)}\n`).join('')
  writeFileSync(ENVIRONMENT_FILE, text, { mode: 0o600 })
}

/** In quotes, since a # would begin a comment; Node reads the text between them as it is. */
function quote(value: string): string {
  const mark = ["'", '`', '"'].find((each) => !value.includes(each)) ?? "'"
  return `${mark}${value}${mark}`
}
