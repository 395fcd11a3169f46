import { readFileSync } from 'node:fs'
import { ROWS } from '../../../deploy/monitoring/panels.ts'
import type { ProofRun } from '../../harness/proof.ts'
import { FOLDER, type Monitoring } from './monitoring.ts'

type RuleGroups = {
  readonly groups: readonly {
    readonly rules: readonly { readonly name: string; readonly health: string }[]
  }[]
}
type Result = {
  readonly result: readonly { readonly value: readonly [time: number, value: string] }[]
}

/** As long as some scrapes take in this proof; Grafana chooses it by the width of the panel. */
const RATE_INTERVAL = '10s'

/** How often the process was scraped that was scraped least. */
export async function countScrapes({ ask }: Monitoring): Promise<number> {
  const { result } = await ask<Result>(`query?query=min(count_over_time(up[10m]))`)
  return Number(result[0]?.value[1] ?? 0)
}

/** The rules that Prometheus has not evaluated, or not without an error. */
export async function findBadRules({ ask }: Monitoring): Promise<readonly string[]> {
  const { groups } = await ask<RuleGroups>('rules')
  const rules = groups.flatMap((group) => group.rules)
  return rules.filter(({ health }) => health !== 'ok').map(({ name }) => name)
}

/** Every metric that a rule or a panel names is scraped from a process. */
export async function judgeMetrics(run: ProofRun, { ask }: Monitoring): Promise<number> {
  const rules = readFileSync(new URL('headrace.rules.yaml', FOLDER), 'utf8')
  const named = new Set(`${rules} ${queries().join(' ')}`.match(/\bheadrace_[a-z_]+/g))
  const scraped = new Set(await ask<readonly string[]>('label/__name__/values'))
  for (const name of named) if (!scraped.has(name)) run.fail(`no process has the metric ${name}`)
  return named.size
}

/** Every query of the dashboard has a result. */
export async function judgeQueries(run: ProofRun, { ask }: Monitoring): Promise<number> {
  for (const query of queries()) {
    const expression = query.replaceAll('$__rate_interval', RATE_INTERVAL)
    try {
      const { result } = await ask<Result>(`query?query=${encodeURIComponent(expression)}`)
      if (result.length === 0) run.fail(`the dashboard shows nothing for ${query}`)
    } catch (error) {
      run.fail(`${query}: ${String(error)}`)
    }
  }
  return queries().length
}

function queries(): string[] {
  const panels = ROWS.flatMap((row) => row.panels)
  return panels.flatMap((panel) => panel.queries.map(([expression]) => expression))
}
