/** Sets the zone of this process. Each test file runs in a process of its own. */
export function setTimeZone(zone: string): void {
  process.env['TZ'] = zone
}
