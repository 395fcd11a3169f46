import { countOf } from '../count-of.ts'
import { printTable, type Printable } from '../print.ts'
import { SETTINGS } from './capacity.ts'
import type { Deployment, Traffic } from './size-deployment.ts'
import { UNIT_COSTS } from './unit-costs.ts'
import type { Given, Workload } from './workload.ts'

const MEGABYTE = 1_000_000
const FULL = 100
const DIGITS = 3

/** Prints what was asked, what it needs, and every figure that was used. */
export function printDeployment(
  work: Workload,
  deployment: Deployment,
  given: Given,
  json: boolean,
): void {
  const unitCosts = Object.entries(UNIT_COSTS).map(([name, cost]) => ({ name, ...cost }))
  const first = deployment.ceilings[0]
  if (json) {
    const saturatesFirst = first?.name ?? null
    const printed = { workload: work, deployment, saturatesFirst, unitCosts }
    console.log(JSON.stringify(printed, null, 2))
    return
  }
  const workload = SETTINGS.map(({ flag, key, unit, what }) => ({
    '': `--${flag}`,
    value: show(work[key]),
    unit: unit === 'count' ? '' : unit,
    from: given[key] === undefined ? 'assumed' : 'given',
    meaning: what,
  }))
  section('Workload', workload)
  section('Needs', describeNeeds(work, deployment))
  section('Between the parts', describeTraffic(deployment.traffic))
  const ceilings = deployment.ceilings.map(({ name, percent, limit }) => ({
    '': name,
    used: `${percent.toFixed(1)} %`,
    of: limit,
    note: percent > FULL ? 'too much for one deployment' : '',
  }))
  section('What more processes and shards do not raise', ceilings)
  if (first !== undefined)
    console.log(`\nSaturates first: ${first.name}, ${first.percent.toFixed(1)} % used.`)
  const costs = unitCosts.map(({ what, value, unit, proof }) => {
    return { '': what, value: String(value), unit, 'measured by': `prove ${proof}` }
  })
  section('Unit costs', costs)
}

function describeNeeds(work: Workload, deployment: Deployment): Printable[] {
  const { api, valkey, postgres, workers } = deployment
  const need = (name: string, value: number, how: string) => ({ '': name, value: show(value), how })
  return [
    need('api processes', api.processes, `by CPU ${api.byCpu}, by memory ${api.byMemory}`),
    need('… MiB each', api.mibEach, 'without the caches of callers'),
    need('machines', api.machines, `of ${work.coresPerMachine} cores, one process each`),
    need('engines', api.engines, `of ${work.slotsPerEngine} slots`),
    need('worker processes', workers, 'one of them is the leader'),
    need('Valkey shards', valkey.shards, `by CPU ${valkey.byCpu}, by memory ${valkey.byMemory}`),
    need('… with moved slots', valkey.ifBalanced, 'if each has as many partitions'),
    need(
      '… servers',
      valkey.servers,
      `with ${countOf(work.replicasPerShard, 'replica')} of each shard`,
    ),
    need('… calls per second', valkey.callsPerSecond, 'of all shards together'),
    need('… cores', valkey.cores, 'busy, of all shards together'),
    need('… GiB', valkey.gib, `with the records of ${work.outageMinutes} minutes`),
    need('PostgreSQL GiB per day', postgres.gibPerDay, 'usage records and sums'),
    need('… GiB in total', postgres.gib, `after ${work.retentionDays} days`),
    need('… cores', postgres.cores, 'busy with posting and reading callers'),
    need('… callers per second', postgres.lookupsPerSecond, 'read because no cache has them'),
    need('… connections', postgres.connections, 'at most, of api and workers'),
  ]
}

const TRAFFIC_NAMES: Readonly<Record<keyof Traffic, string>> = {
  fromClients: 'clients to api',
  toClients: 'api to clients',
  toEngines: 'api to engines',
  fromEngines: 'engines to api',
  apiAndValkey: 'api and Valkey, both ways',
  valkeyToWorkers: 'Valkey to workers',
  writeAheadLog: "PostgreSQL's write-ahead log",
}

function describeTraffic(traffic: Traffic): Printable[] {
  return Object.entries(TRAFFIC_NAMES).map(([key, name]) => {
    const bytes = traffic[key as keyof Traffic]
    return { '': name, value: show(bytes / MEGABYTE), unit: 'MB/s' }
  })
}

function section(title: string, rows: readonly Printable[]): void {
  console.log(`\n${title}`)
  printTable(Object.keys(rows[0] ?? {}), rows, {})
}

function show(number: number): string {
  if (Number.isInteger(number)) return String(number)
  return number >= FULL ? number.toFixed(0) : String(Number(number.toPrecision(DIGITS)))
}
