/** Far enough apart that the health ports of the worker and the console are not among them. */
const HEALTH_PORT_STEP = 100

/** The health port of one of several api processes; 0 picks a free one for each. */
export function healthPortOf(first: number, index: number): number {
  return first === 0 ? 0 : first + index * HEALTH_PORT_STEP
}
