import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectFolder } from '../../../stack/state.ts'
import { limitsOf } from '../../harness/environment.ts'
import type { Cluster } from './cluster.ts'
import type { Stores } from './stores.ts'

export const NAMESPACE = 'inference'
export const CHART = join(projectFolder, 'deploy/chart/headrace')
export const RELEASE = 'headrace'
export const SCRIPTED_MODEL = 'proof/scripted'
export const REAL_MODEL = 'headrace/pebble'
/** Longer than the longest stream. */
const LINGER_SECONDS = 12
const DRAIN_SECONDS = 60
const TIMEOUT = '5m'
const SMALL = { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '512Mi' } }

export type Release = {
  install(): Promise<void>
  /** Options such as --set; rejects if Helm reports a failure. */
  upgrade(...options: string[]): Promise<void>
  rollback(revision: number): Promise<void>
  uninstall(): Promise<void>
  /** Revision and state of the newest release. */
  status(): Promise<{ readonly version: number; readonly hooks: string[]; readonly state: string }>
  /** Ids, images and nodes of the pods that are not stopping. */
  pods(): Promise<readonly Pod[]>
}

export type Pod = { readonly uid: string; readonly image: string; readonly node: string }

export function createRelease({ kubectl, helm }: Cluster, stores: Stores, folder: string): Release {
  const values = join(folder, 'values.json')
  writeFileSync(values, JSON.stringify(valuesFor(stores)))
  const scope = ['--namespace', NAMESPACE]
  const waiting = [...scope, '--wait', '--timeout', TIMEOUT]
  return {
    async install() {
      await helm('install', RELEASE, CHART, '--values', values, ...waiting)
    },
    async upgrade(...options) {
      await helm('upgrade', RELEASE, CHART, '--values', values, ...waiting, ...options)
    },
    async rollback(revision) {
      await helm('rollback', RELEASE, `${revision}`, ...waiting)
    },
    async uninstall() {
      await helm('uninstall', RELEASE, ...waiting)
    },
    async status() {
      const printed = JSON.parse(await helm('status', RELEASE, ...scope, '-o', 'json')) as Status
      const hooks = printed.hooks.filter(({ kind }) => kind === 'Job')
      return {
        version: printed.version,
        state: printed.info.status,
        hooks: hooks.map(({ last_run: run }) => run.phase),
      }
    },
    async pods() {
      const printed = await kubectl('get', 'pods', ...scope, '-o', 'json')
      const { items } = JSON.parse(printed) as { items: PodObject[] }
      const running = items.filter(
        ({ metadata }) =>
          metadata.deletionTimestamp === undefined &&
          metadata.labels['app.kubernetes.io/component'] !== 'migrate',
      )
      return running.map(({ metadata: { uid }, spec }) => ({
        uid,
        image: spec.containers[0]?.image ?? '',
        node: spec.nodeName ?? '',
      }))
    },
  }
}

type Status = {
  readonly version: number
  readonly info: { readonly status: string }
  readonly hooks: readonly {
    readonly kind: string
    readonly last_run: { readonly phase: string }
  }[]
}

type PodObject = {
  readonly metadata: {
    readonly uid: string
    readonly deletionTimestamp?: string
    readonly labels: Readonly<Record<string, string>>
  }
  readonly spec: { readonly nodeName?: string; readonly containers: { readonly image: string }[] }
}

function valuesFor({ scriptedUrl, llamaUrl }: Stores): object {
  const kind = 'llama-server'
  const key = { api_key_env: 'HEADRACE_ENGINE_KEY', model_name: 'pebble' }
  return {
    image: { repository: 'localhost/headrace', tag: 'current', pullPolicy: 'Never' },
    existingSecret: 'headrace',
    api: { lingerSeconds: LINGER_SECONDS, drainSeconds: DRAIN_SECONDS, resources: SMALL },
    worker: { resources: SMALL },
    console: { replicas: 1, resources: SMALL },
    migrate: { resources: SMALL },
    // The scripted engine answers nothing but its script.
    extraEnv: [{ name: 'HEADRACE_API_PROBE_ENGINES', value: 'false' }],
    config: {
      engines: [
        { name: 'scripted', kind, url: scriptedUrl, slots: 512 },
        { name: 'real', kind, url: llamaUrl, slots: 2, ...key },
      ],
      models: [
        { id: SCRIPTED_MODEL, owned_by: 'proof', engines: ['scripted'] },
        { id: REAL_MODEL, owned_by: 'headrace', context_length: 4096, engines: ['real'] },
      ],
      plans: { ample: { models: 'all', limits: limitsOf() } },
      default_plan: 'ample',
      console: { api_url: 'http://localhost:8080/compat/v1' },
    },
  }
}
