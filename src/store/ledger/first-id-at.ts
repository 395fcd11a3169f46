/** The lowest id a request made at this time or later can have: ids begin with their time. */
export function firstIdAt(timeMs: number): string {
  const time = Math.floor(timeMs).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`
}
