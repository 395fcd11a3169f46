import type { Config } from '../../config/load.ts'
import { healthPortOf, localHealthUrl } from '../../start/health-port.ts'

/** Processes on this machine that are looked for. */
const LOCAL_PROCESSES_MAX = 16

/** Where the processes of this configuration have their health ports, as far as it tells. */
export function configuredHealthUrls(config: Config): string[] {
  return [...new Set([...config.console.api_health_urls, ...localHealthUrls(config)])]
}

/** Where processes with this configuration have their health ports on this machine. */
function localHealthUrls({ api, worker, console: settings }: Config): string[] {
  const ports = [
    ...Array.from({ length: LOCAL_PROCESSES_MAX }, (_, at) => healthPortOf(api.health_port, at)),
    worker.health_port,
    settings.health_port,
  ]
  return ports
    .filter((port) => port > 0 && port < 65_536)
    .map((port) => localHealthUrl(api.host, port))
}
