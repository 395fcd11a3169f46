/** When a chosen day (`2027-01-31`) is over, in the zone of who chose it. */
export function endOfDay(date: string): string {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  return new Date(year, month - 1, day + 1).toISOString()
}
