/** Sets the zone of this process. The runner gives a file that calls it a process of its own. */
export function setTimeZone(zone: string): void {
  process.env['TZ'] = zone
}
