/**
 * How much faster time passes for the rules in this proof. A scrape every 15 s becomes one every
 * half second, an hour two minutes. Thresholds stay as they are.
 */
export const SPEED = 30

const SECONDS = { s: 1, m: 60, h: 3_600 } as const
type Unit = keyof typeof SECONDS

/** After a key such as `for:` or `scrape_interval:`, and in a range such as `[5m]`. */
const DURATION = /(\[|\b(?:\w*for|\w*interval|\w+_wait): )(\d+)([smh])\b/g

/** Divides every duration of rules, or of a configuration, by SPEED. */
export function speedUp(text: string): string {
  return text.replaceAll(DURATION, (_all, before: string, count: string, unit: string) => {
    const seconds = Number(count) * SECONDS[unit as Unit]
    return `${before}${(seconds * 1_000) / SPEED}ms`
  })
}
