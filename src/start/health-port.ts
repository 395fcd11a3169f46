/** Far enough apart that the health ports of the worker and the console are not among them. */
const HEALTH_PORT_STEP = 100

/** The health port of one of several api processes; 0 picks a free one for each. */
export function healthPortOf(first: number, index: number): number {
  return first === 0 ? 0 : first + index * HEALTH_PORT_STEP
}

const ANY_ADDRESS = new Set(['0.0.0.0', '::'])

/** Where a process that listens on this host and port is reached on its own machine. */
export function localHealthUrl(host: string, port: number): string {
  const reached = ANY_ADDRESS.has(host) ? '127.0.0.1' : host
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}
