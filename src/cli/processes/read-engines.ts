import { Check as conforms } from 'typebox/schema'
import { EnginesReport, type EngineState } from '../../contract/management/operator-system.ts'
import { readJsonPage } from './read-page.ts'

/** What API processes tell of their engines; others tell nothing. */
export async function readEngineReports(urls: readonly string[]): Promise<EnginesReport[]> {
  const pages = await Promise.all(urls.map((url) => readJsonPage(url, '/engines')))
  return pages.filter((page) => conforms(EnginesReport, page))
}

/** By the engine's name, one state for each process. */
export function statesByEngine(reports: readonly EnginesReport[]): Map<string, EngineState[]> {
  const states = new Map<string, EngineState[]>()
  for (const report of reports)
    for (const [name, state] of Object.entries(report.states ?? {}))
      states.set(name, [...(states.get(name) ?? []), state])
  return states
}
