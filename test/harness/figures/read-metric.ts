import type { MetricsPage } from '../../../src/lib/meter.ts'

/** The value of a metric without labels, as the page shows it; 0 if it is not there. */
export async function readMetric(page: MetricsPage, name: string): Promise<number> {
  const text = await page.text()
  const line = text.split('\n').find((each) => each.startsWith(`${name} `))
  return Number(line?.slice(name.length + 1) ?? 0)
}
