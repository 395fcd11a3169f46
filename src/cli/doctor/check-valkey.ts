import type { Config } from '../../config/load.ts'
import { countRejected, readBacklog } from '../../store/usage/usage-stream.ts'
import { inspectValkey, type ValkeyInspection } from '../../store/valkey/inspect.ts'
import { openValkey } from '../../store/valkey/valkey.ts'
import { countOf } from '../count-of.ts'
import { judgeClock, judgeRoundTrip } from './judge-clock.ts'
import {
  failed,
  hintOf,
  ok,
  reasonOf,
  resultOf,
  runChecks,
  skipChecks,
  warning,
  type Check,
  type Finding,
  type Result,
  type Time,
} from './run-checks.ts'

const PLACE = { group: 'valkey' } as const
const VERSION_MIN = 8
const MEMORY_SHARE_MAX = 0.8
const BACKLOG_RECORDS_MAX = 10_000
const LAG_MS_MAX = 60_000
const ROUND_TRIP_MS_MAX = 5
const MIB = 2 ** 20

type Info = ReadonlyMap<string, string>
type Subject = {
  readonly nodes: readonly ValkeyInspection[]
  readonly config: Config
  readonly connectMs: number
}

/** Every configured server is inspected; of a cluster, the worst finding counts. */
export async function checkValkey(config: Config, time: Time): Promise<Result[]> {
  const urls = config.valkey_urls
  using opened = new DisposableStack()
  const attempts = await Promise.allSettled(
    urls.map(async (url) => opened.use(await inspectValkey(url, time.connectMs))),
  )
  const nodes = attempts.flatMap((attempt) => ('value' in attempt ? [attempt.value] : []))
  const lost = attempts.findIndex((attempt) => attempt.status === 'rejected')
  const attempt = attempts[lost]
  if (attempt?.status === 'rejected') {
    const { host } = new URL(urls[lost] ?? '')
    const finding = failed(`${host}: ${reasonOf(attempt.reason)}`, hintOf(attempt.reason))
    const skipped = skipChecks(PLACE, CHECKS, 'Valkey is not reachable')
    return [resultOf(PLACE, 'reachable', finding), ...skipped]
  }
  const reached = resultOf(PLACE, 'reachable', ok(nodes.map(({ server }) => server).join(', ')))
  return [
    reached,
    ...(await runChecks(PLACE, { nodes, config, connectMs: time.connectMs }, CHECKS, time)),
  ]
}

const ORDER = ['failed', 'warning', 'not_checked', 'note', 'ok'] as const

/** The worst finding over the nodes. */
async function worst(
  nodes: readonly ValkeyInspection[],
  judge: (node: ValkeyInspection) => Promise<Finding>,
): Promise<Finding> {
  const findings = await Promise.all(nodes.map(judge))
  const [first = ok('')] = findings.toSorted(
    (a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict),
  )
  return first
}

function ofInfo(name: string, judge: (info: Info, config: Config) => Finding): Check<Subject> {
  return {
    name,
    run: ({ nodes, config }) => worst(nodes, async (node) => judge(await node.readInfo(), config)),
  }
}

function judgeVersion(info: Info): Finding {
  const version = info.get('valkey_version')
  const hint = `Use Valkey ${VERSION_MIN} or newer.`
  if (version === undefined) return failed('the server is not Valkey', hint)
  return Number.parseInt(version, 10) >= VERSION_MIN ? ok(version) : failed(version, hint)
}

/** A cluster may name its replicas as well; elsewhere only a primary takes writes. */
function judgeWritable(info: Info, { valkey_urls: urls }: Config): Finding {
  const isReplica = info.get('role') === 'slave'
  return isReplica && urls.length === 1
    ? failed('the server is a replica', 'Use the URL of the primary.')
    : ok(isReplica ? 'a replica of the cluster' : 'yes')
}

function judgeEviction(info: Info): Finding {
  const policy = info.get('maxmemory_policy') ?? 'unknown'
  return policy === 'noeviction'
    ? ok(policy)
    : failed(policy, 'Set maxmemory-policy noeviction: Valkey is a store here, not a cache.')
}

function judgeMemory(info: Info): Finding {
  const [most, used] = [Number(info.get('maxmemory')), Number(info.get('used_memory'))]
  if (most === 0) return warning('maxmemory is not set', 'Set it below the memory of the machine.')
  const found = `${Math.round((used / most) * 100)} % of ${Math.round(most / MIB)} MiB`
  return used <= most * MEMORY_SHARE_MAX
    ? ok(found)
    : warning(found, 'Raise maxmemory: requests are refused when it is full.')
}

function judgeReplicas(info: Info, { usage }: Config): Finding {
  const fields = [...info].filter(([name]) => /^slave\d+$/.test(name))
  const online = fields.filter(([, value]) => value.includes('state=online')).length
  const needed = usage.acknowledged_replicas
  if (info.get('role') === 'slave') return ok('is a replica itself')
  if (online < needed)
    return failed(
      `${online} online, ${needed} must acknowledge`,
      'Start replicas, or lower usage.acknowledged_replicas.',
    )
  return online === 0
    ? warning('none', 'Run a replica: a lost server loses the usage that is not posted yet.')
    : ok(`${online} online`)
}

const persistence: Check<Subject> = {
  name: 'persistence',
  run: ({ nodes }) =>
    worst(nodes, async (node) => {
      const info = await node.readInfo()
      const hint = 'Set appendonly yes: a restart would lose the usage that is not posted yet.'
      if (info.get('aof_enabled') !== '1') return failed('appendonly no', hint)
      if (info.get('aof_last_write_status') !== 'ok')
        return failed('the last write to disk failed', 'Check the disk of Valkey.')
      const sync = await node.readAppendFsync()
      return sync === 'no'
        ? warning('appendfsync no', 'Set appendfsync everysec.')
        : ok(`appendonly yes, appendfsync ${sync ?? 'unknown'}`)
    }),
}

const scripts: Check<Subject> = {
  name: 'scripts',
  run: ({ nodes }) =>
    worst(nodes, async (node) => {
      await node.tryScript()
      return ok('allowed')
    }),
}

const cluster: Check<Subject> = {
  name: 'cluster',
  run: ({ nodes, config }) =>
    worst(nodes, async (node) => {
      const enabled = (await node.readInfo()).get('cluster_enabled') === '1'
      const several = config.valkey_urls.length > 1
      if (enabled && !several)
        return failed('a node of a cluster', 'Give the URLs of several nodes, with commas.')
      if (!enabled)
        return several
          ? failed('several servers, not a cluster', 'Give the URL of one server, or of a cluster.')
          : ok('one server')
      const state = await node.readClusterState()
      return state === 'ok' ? ok('complete') : failed(state, 'Repair the cluster.')
    }),
}

const backlog: Check<Subject> = {
  name: 'backlog',
  async run({ config, connectMs }) {
    await using valkey = openValkey(config.valkey_urls)
    await valkey.connected(connectMs)
    const { records, oldestMs } = await readBacklog(valkey)
    const lagMs = oldestMs === undefined ? 0 : Math.max(0, Date.now() - oldestMs)
    const waiting = `${countOf(records, 'record')} to post`
    const found = `${waiting}, the oldest ${Math.round(lagMs / 1000)} s old`
    return records > BACKLOG_RECORDS_MAX || lagMs > LAG_MS_MAX
      ? warning(found, 'Start a worker. Check its log if one runs.')
      : ok(found)
  },
}

const rejected: Check<Subject> = {
  name: 'rejected',
  async run({ config, connectMs }) {
    await using valkey = openValkey(config.valkey_urls)
    await valkey.connected(connectMs)
    const count = await countRejected(valkey)
    return count === 0
      ? ok('0 records')
      : failed(countOf(count, 'record'), 'Inspect {pNN}:rejected: this usage is not posted.')
  },
}

const roundTrip: Check<Subject> = {
  name: 'round trip',
  run: ({ nodes }) =>
    worst(nodes, async (node) => judgeRoundTrip(await node.readClock(), ROUND_TRIP_MS_MAX)),
}

const clock: Check<Subject> = {
  name: 'clock',
  run: ({ nodes }) => worst(nodes, async (node) => judgeClock(await node.readClock())),
}

const CHECKS = [
  ofInfo('version', judgeVersion),
  ofInfo('writable', judgeWritable),
  cluster,
  scripts,
  persistence,
  ofInfo('eviction', judgeEviction),
  ofInfo('memory', judgeMemory),
  ofInfo('replicas', judgeReplicas),
  backlog,
  rejected,
  roundTrip,
  clock,
]
