import type { Config } from '../../src/config/load.ts'
import {
  startScriptedEngine,
  withScripts,
  type ScriptedEngine,
} from '../harness/fake-engine/scripts.ts'
import { startService, type Service } from '../harness/processes/service.ts'
import { createClient, type Answer, type Client, type Sent } from './client.ts'

/** A service with the real and a scripted engine, and a caller without effective limits. */
export type Api = AsyncDisposable & {
  readonly service: Service
  readonly engine: ScriptedEngine
  readonly client: Client
  readonly key: string
}

/** `watch` sees every answer to the client. */
export async function startApi(
  change: (config: Config) => Config = (config) => config,
  watch?: (answer: Answer, sent: Sent) => void,
): Promise<Api> {
  const engine = await startScriptedEngine()
  const service = await startService((config) => change(withScripts(config, engine)))
  const { key } = await service.createCaller()
  const client = createClient(service, key, watch)
  return {
    service,
    engine,
    client,
    key,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
      await engine[Symbol.asyncDispose]()
    },
  }
}

/** A cheap valid request, with the test's changes. */
export function request(change: object = {}): object {
  const messages = [{ role: 'user', content: 'Hello' }]
  return { model: 'headrace/pebble', messages, max_completion_tokens: 1, ...change }
}

const TIMEOUT_MS = 5_000

/** Checks the condition in every turn of the event loop until it is true. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  timeoutMs = TIMEOUT_MS,
): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs
  while (!(await holds())) {
    if (performance.now() > deadlineMs) throw new Error(`still waiting: ${what}`)
    await new Promise(setImmediate)
  }
}

/** A request that the test can abort. Resolves to the first part of the response body. */
export async function openChat({ service, key }: Api, body: object, signal: AbortSignal) {
  const response = await fetch(`${service.apiRoot}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const { value } = (await reader?.read()) ?? {}
  return { status: response.status, beginning: value ?? '' }
}
