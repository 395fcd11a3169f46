import type { Config } from '../../config/load.ts'

/** Health ports of further api processes of one machine follow at this distance. */
export const HEALTH_PORT_STEP = 100

/** Processes on this machine that are looked for. */
const LOCAL_PROCESSES_MAX = 16

const ANY_ADDRESS = new Set(['0.0.0.0', '::'])

/** Where processes with this configuration have their health ports on this machine. */
export function localHealthUrls({ api, worker, console: settings }: Config): string[] {
  const host = ANY_ADDRESS.has(api.host) ? '127.0.0.1' : api.host
  const more = Array.from({ length: LOCAL_PROCESSES_MAX }, (_, at) => at * HEALTH_PORT_STEP)
  const ports = [
    ...(api.health_port === 0 ? [] : more.map((step) => api.health_port + step)),
    worker.health_port,
    settings.health_port,
  ]
  const shown = host.includes(':') ? `[${host}]` : host
  return ports.filter((port) => port > 0 && port < 65_536).map((port) => `http://${shown}:${port}`)
}
