import { InvalidArgumentError, Option, type Command } from 'commander'
import { jsonOption, type JsonOption } from '../options.ts'
import type { Given, Workload } from './workload.ts'

/** More than anybody has; keeps sums exact. */
const NUMBER_MAX = 1_000_000_000_000
const PERCENT_MAX = 100
const LEAST = 0.001

type Setting = {
  readonly flag: string
  readonly key: keyof Workload
  readonly what: string
  readonly unit: string
  readonly most?: number
}

const setting = (
  flag: string,
  key: keyof Workload,
  unit: string,
  what: string,
  most = NUMBER_MAX,
): Setting => ({ flag, key, unit, what, most })

/** Every member of a workload, in the order in which they are printed. */
export const SETTINGS: readonly Setting[] = [
  setting('streams', 'streams', 'count', 'streams that are open at the same time'),
  setting('tokens-per-second', 'tokensPerSecond', 'count', 'tokens per second of each stream'),
  setting('requests-per-second', 'requestsPerSecond', 'count', 'requests per second, in total'),
  setting('prompt-bytes', 'promptBytes', 'bytes', 'mean size of a request body'),
  setting('first-token-seconds', 'firstTokenSeconds', 'seconds', 'time until the first token'),
  setting('organizations', 'organizations', 'count', 'organizations'),
  setting(
    'largest-organization',
    'largestOrganization',
    'percent',
    'share of all requests that the largest organization sends',
    PERCENT_MAX,
  ),
  setting('keys', 'keys', 'count', 'API keys'),
  setting('active-keys', 'activeKeys', 'count', 'API keys that are used within an hour'),
  setting(
    'average-load',
    'averageLoad',
    'percent',
    'mean load over a day, as a share of the load above',
    PERCENT_MAX,
  ),
  setting('retention-days', 'retentionDays', 'days', 'how long usage records are kept'),
  setting('outage-minutes', 'outageMinutes', 'minutes', 'outage of PostgreSQL to survive'),
  setting('slots-per-engine', 'slotsPerEngine', 'count', 'generations at once on an engine'),
  setting('cores-per-machine', 'coresPerMachine', 'count', 'cores of a machine for api'),
  setting('process-mib', 'processMib', 'MiB', 'memory for an api process'),
  setting('shard-gib', 'shardGib', 'GiB', 'memory for a Valkey shard'),
  setting('replicas-per-shard', 'replicasPerShard', 'count', 'replicas of a Valkey shard'),
  setting('postgres-cores', 'postgresCores', 'count', 'cores of PostgreSQL'),
  setting(
    'postgres-connections',
    'postgresConnections',
    'count',
    'connections that PostgreSQL allows',
  ),
  setting('api-connections', 'apiConnections', 'count', 'connections of each api process'),
  setting('postgres-gib', 'postgresGib', 'GiB', 'disk of PostgreSQL'),
  setting('busy', 'busy', 'percent', 'share of cores and memory to use', PERCENT_MAX),
]

const REQUIRED: ReadonlySet<keyof Workload> = new Set(['streams', 'tokensPerSecond'])

/** `headrace capacity --streams N --tokens-per-second T` */
export function registerCapacity(program: Command): void {
  const command = program
    .command('capacity')
    .description('calculate processes, Valkey shards, PostgreSQL size and workers for a load')
  for (const { flag, key, unit, what, most } of SETTINGS) {
    const option = new Option(`--${flag} <${unit}>`, what).argParser((text) =>
      parseNumber(text, most ?? NUMBER_MAX),
    )
    command.addOption(option.makeOptionMandatory(REQUIRED.has(key)))
  }
  command.addOption(jsonOption()).action(async (options: Given & JsonOption) => {
    const { assumeWorkload } = await import('./workload.ts')
    const { sizeDeployment } = await import('./size-deployment.ts')
    const { printDeployment } = await import('./print-deployment.ts')
    const { json, ...given } = options
    const work = assumeWorkload(given)
    printDeployment(work, sizeDeployment(work), given, json === true)
  })
}

function parseNumber(text: string, most: number): number {
  const number = /^\d{1,13}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN
  if (number >= LEAST && number <= most) return number
  throw new InvalidArgumentError(`Must be a number from ${LEAST} to ${most}.`)
}
