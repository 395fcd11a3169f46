import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { startApiProcess, type ApiProcess } from '../../harness/api-process.ts'
import type { PlanLimits } from '../../harness/environment.ts'
import { requireStack } from '../../harness/service.ts'

/** As much of the operator's file as proofs change. */
type Settings = {
  engines: { url: string }[]
  plans: Record<string, Plan>
}

export type Plan = {
  readonly models: 'all' | readonly string[]
  readonly credentials?: readonly ('api_key' | 'playground')[]
  readonly limits: PlanLimits
}

export const MODEL = 'headrace/pebble'
export const OTHER_MODEL = 'headrace/pebble-strict'

export type Replicas = AsyncDisposable & { readonly apis: readonly ApiProcess[] }

/** Several processes of the api over the same stores: the demo configuration and more plans. */
export async function startReplicas(options: {
  readonly count: number
  readonly databaseUrl: string
  readonly valkeyUrls: readonly string[]
  readonly plans: Readonly<Record<string, Plan>>
}): Promise<Replicas> {
  await using starting = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'headrace-replicas-'))
  starting.defer(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'headrace.yaml')
  await writeFile(file, JSON.stringify(await settingsWith(options.plans)))
  const { databaseUrl, valkeyUrls } = options
  const environment = { HEADRACE_VALKEY_URL: valkeyUrls.join(',') }
  const apis = await Promise.all(
    Array.from({ length: options.count }, () =>
      startApiProcess({ databaseUrl, file, environment }),
    ),
  )
  for (const api of apis) starting.use(api)
  const running = starting.move()
  return { apis, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

async function settingsWith(plans: Readonly<Record<string, Plan>>): Promise<Settings> {
  const demo = await readFile(new URL('../../../headrace.yaml', import.meta.url), 'utf8')
  const settings = parse(demo) as Settings
  const { url } = requireStack().engine
  return {
    ...settings,
    engines: settings.engines.map((engine) => ({ ...engine, url })),
    plans: { ...settings.plans, ...plans },
  }
}
