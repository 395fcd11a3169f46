import { mergeEngineStates, type MergedEngine } from '../../contract/engines/merge-engine-states.ts'
import type { Printable } from '../print.ts'
import { statesByEngine } from '../processes/read-engines.ts'
import type { Known } from './list-engines.ts'

/** What no process tells is null. */
export function viewEngine(name: string, { config, reports, orders }: Known): Printable {
  const states = statesByEngine(reports).get(name)
  const merged = states === undefined ? undefined : mergeEngineStates(states)
  const order = orders.find(({ engine }) => engine === name)
  return {
    engine: name,
    state: merged?.state ?? null,
    since: merged?.since ?? null,
    reason: merged?.reason ?? null,
    order: order?.state ?? null,
    ordered_at: order?.ordered_at ?? null,
    ordered_by: order?.ordered_by ?? null,
    note: order?.note ?? null,
    models: modelsOf(name, config),
    processes: states?.length ?? 0,
    ...viewFigures(merged),
    missing: missingOf(name, reports),
    probed_at: merged?.probedAt ?? null,
    version: merged?.version ?? null,
  }
}

/** The names of the configuration. */
type Named = {
  readonly engines: readonly { readonly name: string }[]
  readonly models: readonly {
    readonly id: string
    readonly engines: readonly (string | { readonly name: string })[]
  }[]
}

/**
 * The models that an engine serves. Engines of a discovery group, and ranks, are not in the
 * configuration: their names begin with the longest configured one that fits.
 */
export function modelsOf(name: string, { engines, models }: Named): string[] {
  const fitting = engines
    .map((engine) => engine.name)
    .filter((given) => name === given || name.startsWith(`${given}-`))
  const own = fitting.toSorted((a, b) => b.length - a.length)[0]
  const isServed = (choices: Named['models'][number]['engines']) =>
    choices.some((choice) => own === (typeof choice === 'string' ? choice : choice.name))
  return models.filter((model) => isServed(model.engines)).map(({ id }) => id)
}

function viewFigures(merged: MergedEngine | undefined): Printable {
  const round = (value: number | null | undefined, digits = 0) =>
    value === null || value === undefined ? null : Number(value.toFixed(digits))
  return {
    capacity: merged?.capacity ?? null,
    found: merged?.found ?? null,
    leased: merged?.leased ?? null,
    running: merged?.running ?? null,
    waiting_inside: merged?.waitingInside ?? null,
    first_token_ms: round(merged?.firstTokenMs),
    tokens_per_second: round(merged?.tokensPerSecond, 1),
    prefill_tokens_per_second: round(merged?.prefillTokensPerSecond),
    cached_share: round(merged?.cachedShare, 3),
    conversations: merged?.conversations ?? null,
    exceptions: merged?.exceptions ?? null,
    ejections: merged?.ejections ?? null,
    faults: Object.entries(merged?.faults ?? {}).map(
      ([kind, { count, organizations }]) => `${kind}: ${count} of ${organizations} organizations`,
    ),
  }
}

/** Null if no process has probed it. */
function missingOf(name: string, reports: Known['reports']): string[] | null {
  const probes = reports
    .map(({ engines }) => engines[name] ?? null)
    .filter((probe) => probe !== null)
  if (probes.length === 0) return null
  const missing = probes.flatMap((probe) =>
    Object.keys(probe).filter((key) => probe[key] === false),
  )
  return [...new Set(missing)]
}
