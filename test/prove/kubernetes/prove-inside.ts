// The proof `kubernetes`, inside the namespaces that enter.sh makes.
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openPostgres } from '../../../src/store/postgres/postgres.ts'
import { timeUntil } from '../../harness/figures/measure.ts'
import { runProof, type Figures, type ProofRun } from '../../harness/proof.ts'
import { startCluster, type Cluster } from './cluster.ts'
import { startLoad, type Load } from './load.ts'
import {
  CHART,
  createRelease,
  NAMESPACE,
  REAL_MODEL,
  RELEASE,
  SCRIPTED_MODEL,
  type Release,
} from './release.ts'
import { startStores, type Stores } from './stores.ts'

const STREAMS_MIN = 1_000
const TIMEOUT_MS = 300_000
const WRONG_SECRET = 'headrace-wrong'

type Setting = {
  readonly run: ProofRun
  readonly cluster: Cluster
  readonly release: Release
  readonly stores: Stores
}

await runProof(
  'kubernetes',
  async (run) => {
    const { tools = '', run: folder = '' } = run.values
    await using running = new AsyncDisposableStack()
    const sinceMs = performance.now()
    const programs = join(tools, 'bin')
    const cluster = await startCluster({ programs, run: folder })
    const clusterSeconds = secondsSince(sinceMs)
    console.log(`nodes ready after ${clusterSeconds} s`)
    const stores = await startStores(running)
    const release = createRelease(cluster, stores, folder)
    const setting = { run, cluster, release, stores }
    await createNamespace(setting)
    const accepted = await validate(setting, join(tools, 'crds'), folder)
    const installSeconds = await install(setting)
    const key = await createKey(cluster)
    await askOnce(setting, key)
    const changes = await changeUnderLoad(setting, key)
    await release.uninstall()
    return { nodes_s: clusterSeconds, dry_run: accepted, install_s: installSeconds, ...changes }
  },
  { tools: { type: 'string' }, run: { type: 'string' } },
)

function secondsSince(sinceMs: number): number {
  return Math.round((performance.now() - sinceMs) / 1000)
}

/** With the standard "restricted", and two Secrets: the right one and one of a wrong database. */
async function createNamespace({ run, cluster: { kubectl }, stores }: Setting): Promise<void> {
  await kubectl('create', 'namespace', NAMESPACE)
  const standard = 'pod-security.kubernetes.io/enforce=restricted'
  await kubectl('label', 'namespace', NAMESPACE, standard)
  const scope = ['--namespace', NAMESPACE]
  const secretsOf = (secrets: object) =>
    Object.entries(secrets).map(([name, value]) => `--from-literal=${name}=${value}`)
  const { secrets } = stores
  const wrong = { ...secrets, HEADRACE_DATABASE_URL: `${secrets['HEADRACE_DATABASE_URL']}-missing` }
  await kubectl('create', 'secret', 'generic', 'headrace', ...scope, ...secretsOf(secrets))
  await kubectl('create', 'secret', 'generic', WRONG_SECRET, ...scope, ...secretsOf(wrong))
  const plain = kubectl('run', 'plain', '--image=localhost/pause:1', ...scope, '--dry-run=server')
  const refused = await plain.then(
    () => false,
    (error: Error) => error.message.includes('violates PodSecurity'),
  )
  if (!refused) run.fail('the namespace does not enforce the standard "restricted"')
}

/** The API server checks every object of the chart with everything turned on. */
async function validate({ cluster }: Setting, crds: string, folder: string): Promise<number> {
  const { kubectl, helm } = cluster
  for (const file of readdirSync(crds))
    await kubectl('apply', '--server-side', '-f', join(crds, file))
  await kubectl('wait', '--for=condition=Established', 'crd', '--all')
  const values = join(CHART, '../ci-values.yaml')
  const rendered = join(folder, 'rendered.yaml')
  writeFileSync(rendered, await helm('template', 'everything', CHART, '--values', values))
  const printed = await kubectl('apply', '--dry-run=server', '-n', NAMESPACE, '-f', rendered)
  return printed.split('\n').filter((line) => line.includes('(server dry run)')).length
}

async function install({ run, release }: Setting): Promise<number> {
  const sinceMs = performance.now()
  await release.install()
  const seconds = secondsSince(sinceMs)
  console.log(`installed after ${seconds} s`)
  const { hooks } = await release.status()
  if (hooks.join() !== 'Succeeded') run.fail(`the migration hook: ${hooks.join() || 'did not run'}`)
  return seconds
}

/** As NOTES.txt says: with the command line inside a pod. */
async function createKey({ kubectl }: Cluster): Promise<string> {
  const pod = ['exec', '--namespace', NAMESPACE, `deploy/${RELEASE}-api`, '--']
  const headrace = (...args: string[]) => kubectl(...pod, 'node', '/app/dist/main.js', ...args)
  await headrace('organization', 'create', 'acme')
  const printed = await headrace('key', 'create', '--organization=acme', '--name=proof', '--json')
  return (JSON.parse(printed) as { key: string }).key
}

async function addressOf({ kubectl }: Cluster, service: string): Promise<string> {
  const address = ['-o', 'jsonpath={.spec.clusterIP}']
  return `http://${await kubectl('get', 'service', service, '--namespace', NAMESPACE, ...address)}`
}

/** One answer of a real engine, and the console's page. */
async function askOnce({ run, cluster }: Setting, key: string): Promise<void> {
  const api = await addressOf(cluster, RELEASE)
  const answer = await fetch(`${api}/compat/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: REAL_MODEL,
      max_tokens: 40,
      messages: [{ role: 'user', content: 'Tell me about rivers.' }],
    }),
  })
  const text = await answer.text()
  if (answer.status !== 200) run.fail(`the first answer: ${answer.status} ${text.slice(0, 200)}`)
  console.log(`first answer: ${text.slice(0, 300)}`)
  const page = await fetch(`${await addressOf(cluster, `${RELEASE}-web`)}/`)
  if (page.status !== 200 || !(await page.text()).includes('<html'))
    run.fail(`the page of the console: ${page.status}`)
}

async function changeUnderLoad(setting: Setting, key: string): Promise<Figures> {
  const { run, cluster, release, stores } = setting
  const apiRoot = `${await addressOf(cluster, RELEASE)}/compat/v1`
  const load = startLoad({ apiRoot, key, model: SCRIPTED_MODEL }, run)
  await reached(run, 'streams are open', () => load.open > 0 && load.streams > 0)
  const upgrade = await change(load, 'upgrade', () => release.upgrade('--set=image.tag=next'))
  await expectImage(setting, 'next')
  const failed = await failUpgrades(setting, load)
  const rollback = await change(load, 'rollback', () => release.rollback(1))
  await expectImage(setting, 'current')
  const drains: number[] = []
  for (const node of cluster.nodes)
    drains.push(await change(load, `drain of ${node}`, () => drainNode(setting, node)))
  await reached(run, `${STREAMS_MIN} streams`, () => load.streams >= STREAMS_MIN)
  await load.stop()
  const posted = await countPosted(run, stores, load)
  return {
    upgrade_s: upgrade,
    failed_upgrades: failed,
    rollback_s: rollback,
    drain_s: drains.join('+'),
    streams: load.streams,
    broken: load.broken,
    refused: load.refused,
    reused: load.reused,
    posted,
  }
}

/** Makes a change while streams are open; returns its seconds. */
async function change(load: Load, what: string, make: () => Promise<void>): Promise<number> {
  const [sinceMs, before, open] = [performance.now(), load.streams, load.open]
  await make()
  const seconds = secondsSince(sinceMs)
  const ended = load.streams - before
  console.log(`${what}: ${seconds} s, ${open} streams open at its start, ${ended} ended meanwhile`)
  return seconds
}

async function expectImage({ run, release }: Setting, tag: string): Promise<void> {
  const others = (await release.pods()).filter(({ image }) => !image.endsWith(`:${tag}`))
  if (others.length > 0) run.fail(`${others.length} pods do not run the image ${tag}`)
}

/** Upgrades whose migration fails replace no pod. Returns how many were stopped. */
async function failUpgrades({ run, release }: Setting, load: Load): Promise<number> {
  const idsOf = async () =>
    (await release.pods())
      .map(({ uid }) => uid)
      .toSorted()
      .join()
  const before = await idsOf()
  const upgrades = {
    'a database that is missing': [`--set=existingSecret=${WRONG_SECRET}`]
      // One attempt is enough here.
      .concat('--set=migrate.backoffLimit=0', '--set=image.tag=current'),
    'an invalid configuration': ['--set=config.default_plan=missing', '--set=image.tag=current'],
  }
  let stopped = 0
  for (const [what, options] of Object.entries(upgrades)) {
    const failed = { is: false }
    await change(load, `upgrade to ${what}`, async () => {
      await release.upgrade(...options).catch(() => (failed.is = true))
    })
    const { hooks, state } = await release.status()
    if (!failed.is || state !== 'failed' || hooks.join() !== 'Failed')
      run.fail(`the upgrade to ${what} is ${state}, its migration ${hooks.join()}`)
    else stopped += 1
  }
  if ((await idsOf()) !== before) run.fail('a failed upgrade replaced pods')
  return stopped
}

/** Evicts its pods within the disruption budgets, and opens the node again. */
async function drainNode({ run, cluster, release }: Setting, node: string): Promise<void> {
  const countPods = async () => (await release.pods()).filter((pod) => pod.node === node).length
  if ((await countPods()) === 0) run.fail(`${node} has no pod to evict`)
  await cluster.kubectl('drain', node, '--timeout=300s')
  if ((await countPods()) > 0) run.fail(`${node} still has pods`)
  const scope = ['--namespace', NAMESPACE, '--timeout=300s']
  for (const name of ['api', 'worker', 'console'])
    await cluster.kubectl('rollout', 'status', `deploy/${RELEASE}-${name}`, ...scope)
  await cluster.kubectl('uncordon', node)
}

/** Every stream that was not refused leaves one usage record. */
async function countPosted(run: ProofRun, { databaseUrl }: Stores, load: Load): Promise<number> {
  await using postgres = openPostgres(databaseUrl, { connectionsMax: 1 })
  const query = 'select count(*)::int as posted from usage_records where model = $1'
  const count = async () => {
    const { rows } = await postgres.pool.query<{ posted: number }>(query, [SCRIPTED_MODEL])
    return rows[0]?.posted ?? 0
  }
  const streams = load.streams - load.refused
  await reached(run, 'all usage is posted', async () => (await count()) >= streams)
  const posted = await count()
  if (posted !== streams) run.fail(`${posted} usage records for ${streams} streams`)
  return posted
}

async function reached(
  run: ProofRun,
  what: string,
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  if ((await timeUntil(holds, TIMEOUT_MS, 100)) === null) run.fail(`timeout: ${what}`)
}
