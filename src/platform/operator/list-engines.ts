import { EnginesReport, type EnginesOfProcess } from '../../contract/management/operator-system.ts'
import type { Environment } from '../environment.ts'
import { defineRead } from '../use-case.ts'
import { askProcesses } from './ask-processes.ts'

/** Each process has its own view of an engine: it ejects an engine that fails its own requests. */
export const listEngines = defineRead(
  { action: 'engine.list', permission: 'platform:read' },
  async ({ environment }, _input: object) => ({ data: await readEngines(environment) }),
)

export async function readEngines({ settings }: Environment): Promise<EnginesOfProcess[]> {
  const urls = settings.console.api_health_urls
  const answers = await askProcesses(urls, '/engines', EnginesReport)
  return answers.map(({ url, reachable, answer }) => ({
    url,
    reachable,
    engines: answer === null ? [] : enginesOf(answer),
  }))
}

function enginesOf({ engines, states = {} }: EnginesReport): EnginesOfProcess['engines'] {
  const names = new Set([...Object.keys(engines), ...Object.keys(states)])
  return [...names].map((name) => ({
    name,
    state: states[name] ?? null,
    missing: missingOf(engines[name] ?? null),
  }))
}

function missingOf(capabilities: Readonly<Record<string, boolean>> | null): string[] | null {
  if (capabilities === null) return null
  return Object.keys(capabilities).filter((name) => capabilities[name] === false)
}
