// A deleted usage row, a killed worker, failing requests and a stuck engine each reach a webhook.
// Through real Prometheus and Alertmanager with the shipped files, in time that passes faster.
// covers: deploy/monitoring/** src/worker/**
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { monitoringProgram } from '../../stack/programs.ts'
import { modelOn, startEnvironment, type Environment } from '../harness/environment.ts'
import { chunk, ending, ROLE } from '../harness/fake-engine/events.ts'
import { begin, startFakeEngine, type Answer } from '../harness/fake-engine/server.ts'
import { startRealEngine } from '../harness/engines/real-engine.ts'
import { timeUntil, waitUntil } from '../harness/figures/measure.ts'
import { WEBHOOK_SECRET } from '../harness/payments/payment-settings.ts'
import { startScriptedProvider } from '../harness/payments/scripted-provider.ts'
import type { HeadraceProcess } from '../harness/processes/process.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { openChat } from '../harness/clients/stream-client.ts'
import { countScrapes, findBadRules, judgeMetrics, judgeQueries } from './alerts/judge-queries.ts'
import {
  FOLDER,
  run as runTool,
  startMonitoring,
  type Monitoring,
  type Tools,
} from './alerts/monitoring.ts'
import { startWebhook, type ReceivedAlert, type Webhook } from './alerts/webhook.ts'

const SCRIPTED = 'scripted'
const REAL = 'real'
const SLOTS = 4
/** The scripted engine fails requests that contain it. */
const FAIL = 'please fail'
/** Scrapes of the healthy system, about six seconds. */
const HEALTHY_SCRAPES = 12
/** Many scrapes, evaluations and waits of a group, on a busy machine. */
const TIMEOUT_MS = 45_000
const FIRST_REQUESTS = 20

type Target = { readonly apiRoot: string; readonly key: string }

const answerScripted: Answer = ({ body, response }) => {
  if (JSON.stringify(body).includes(FAIL)) return void response.writeHead(500).end()
  begin(response).end(ROLE + chunk({ content: 'Hi' }) + ending({ prompt: 10, completion: 1 }))
}

function ask(target: Target, engine: string, content: string) {
  const messages = [{ role: 'user', content }]
  return openChat(target, { model: modelOn(engine), messages, max_tokens: 8 }).ended
}

/** Sends one request after the other until the signal. */
async function keepAsking(
  target: Target,
  engine: string,
  content: string,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await ask(target, engine, content)
    // pacing: a client that fails does not send requests as fast as it can.
    await pause(20)
  }
}

/** Waits for an alert. Returns the milliseconds since the call; judges what the alert says. */
async function awaitAlert(
  run: ProofRun,
  webhook: Webhook,
  name: string,
  more: Partial<ReceivedAlert['labels']> = {},
): Promise<number> {
  const sinceMs = performance.now()
  const wanted = Object.entries({ alertname: name, ...more })
  const alert = await webhook.waitFor(
    ({ status, labels }) =>
      status === 'firing' && wanted.every(([label, value]) => labels[label] === value),
    TIMEOUT_MS,
  )
  if (alert === undefined) run.fail(`${name} did not reach the webhook`)
  else {
    const { labels, annotations, path } = alert
    if (path !== `/${labels['severity']}`) run.fail(`${name} was sent to ${path}`)
    if (annotations['runbook_url'] !== `docs/operating/runbook.md#${name.toLowerCase()}`)
      run.fail(`${name} links to ${annotations['runbook_url']}`)
    if (/<no value>|%!|\{\{/.test(annotations['summary'] ?? '{{'))
      run.fail(`${name} says ${annotations['summary']}`)
    console.log(`${name}: ${annotations['summary']}`)
  }
  return Math.round(performance.now() - sinceMs)
}

/** What people do at three in the morning, with the wrong where clause. */
async function deleteRow({ postgres }: Environment): Promise<void> {
  const newest = 'select id from usage_records order by settled_at desc limit 1'
  const { rowCount } = await postgres.pool.query(
    `delete from usage_records where id in (${newest})`,
  )
  if (rowCount !== 1) throw new Error('there is no usage record to delete')
}

async function proveUsageDiffers(run: ProofRun, webhook: Webhook, environment: Environment) {
  await deleteRow(environment)
  return awaitAlert(run, webhook, 'HeadraceUsageDiffers')
}

async function proveWorkerDown(run: ProofRun, webhook: Webhook, worker: HeadraceProcess) {
  await worker.kill()
  return awaitAlert(run, webhook, 'HeadraceWorkerDown')
}

async function proveErrorBudget(run: ProofRun, webhook: Webhook, target: Target) {
  const stopping = new AbortController()
  const asking = keepAsking(target, SCRIPTED, FAIL, stopping.signal)
  const tookMs = await awaitAlert(run, webhook, 'HeadraceErrorBudgetFast')
  stopping.abort()
  await asking
  return tookMs
}

/** Different organizations must see the failures of an engine before it is ejected. */
async function proveStuckEngine(run: ProofRun, webhook: Webhook, targets: readonly Target[]) {
  const stopping = new AbortController()
  const asking = targets.map((target) => keepAsking(target, REAL, 'Hello', stopping.signal))
  const tookMs = await awaitAlert(run, webhook, 'HeadraceModelWithoutEngine', {
    model: modelOn(REAL),
  })
  stopping.abort()
  await Promise.all(asking)
  return tookMs
}

function findTools(): Tools | undefined {
  const [prometheus, promtool] = [monitoringProgram('prometheus'), monitoringProgram('promtool')]
  const alertmanager = monitoringProgram('prometheus-alertmanager')
  const amtool = monitoringProgram('amtool')
  if (!prometheus || !promtool || !alertmanager || !amtool) return undefined
  return { prometheus, promtool, alertmanager, amtool }
}

async function checkRules({ promtool }: Tools): Promise<number> {
  const rules = fileURLToPath(new URL('headrace.rules.yaml', FOLDER))
  const printed = await runTool(promtool, ['check', 'rules', rules])
  await runTool(promtool, [
    'test',
    'rules',
    fileURLToPath(new URL('headrace.rules.test.yaml', FOLDER)),
  ])
  return Number(/(\d+) rules found/.exec(printed)?.[1])
}

/** Requests succeed, every rule is evaluated, and no alert fires. */
async function observeHealthy(
  run: ProofRun,
  monitoring: Monitoring,
  webhook: Webhook,
  target: Target,
): Promise<void> {
  const scraped = (scrapes: number) => async () => (await countScrapes(monitoring)) >= scrapes
  await waitUntil('a first scrape', scraped(1), TIMEOUT_MS)
  for (let sent = 0; sent < FIRST_REQUESTS; sent += 1)
    await ask(target, sent % 2 === 0 ? SCRIPTED : REAL, 'Hello')
  if ((await timeUntil(scraped(HEALTHY_SCRAPES), TIMEOUT_MS)) === null)
    run.fail('the processes were not scraped')
  for (const name of await findBadRules(monitoring)) run.fail(`${name} was not evaluated`)
  for (const { labels } of webhook.received)
    run.fail(`${labels['alertname']} fired for a healthy system`)
}

async function prove(run: ProofRun, tools: Tools) {
  await using scripted = await startFakeEngine(answerScripted)
  await using real = await startRealEngine(SLOTS)
  const journal = join(tmpdir(), `alerts-${process.pid}`)
  await using provider = await startScriptedProvider({ journal })
  await using environment = await startEnvironment({
    valkey: 'own',
    engines: [
      { name: SCRIPTED, url: scripted.url },
      { name: REAL, url: real.url, slots: SLOTS, model_name: 'pebble' },
    ],
    models: [SCRIPTED, REAL].map((name) => ({
      id: modelOn(name),
      engines: [name],
      first_token_seconds: 1,
    })),
    sections: {
      worker: { health_port: 0, reconcile_seconds: 1 },
      console: { port: 0, health_port: 0 },
      payments: { provider: 'stripe', page_hosts: ['127.0.0.1'], api_url: provider.url },
    },
    // What the faults make the processes log is expected.
    onLog: () => undefined,
  })
  const api = await environment.startApi()
  const worker = await environment.startWorker()
  const console_ = await environment.startConsole({
    HEADRACE_STRIPE_KEY: 'rk_test_scripted',
    HEADRACE_STRIPE_WEBHOOK_SECRETS: WEBHOOK_SECRET,
  })
  const callers = [await environment.openCaller(), await environment.openCaller()]
  const targets = callers.map(({ key }) => ({ apiRoot: api.apiRoot, key }))
  const [target] = targets as [Target, ...Target[]]
  await using webhook = await startWebhook()
  await using monitoring = await startMonitoring(
    tools,
    {
      'headrace-api': hostOf(api),
      'headrace-worker': hostOf(worker),
      'headrace-console': hostOf(console_),
    },
    webhook.url,
  )
  await observeHealthy(run, monitoring, webhook, target)
  const metrics = await judgeMetrics(run, monitoring)
  const queries = await judgeQueries(run, monitoring)
  const usageDiffersMs = await proveUsageDiffers(run, webhook, environment)
  const [workerDownMs, errorBudgetMs, rules] = await Promise.all([
    proveWorkerDown(run, webhook, worker),
    proveErrorBudget(run, webhook, target),
    // promtool fits into the time that the others wait.
    checkRules(tools),
  ])
  real.freeze()
  const stuckEngineMs = await proveStuckEngine(run, webhook, targets)
  return {
    rules,
    metrics,
    queries,
    usage_differs_ms: usageDiffersMs,
    worker_down_ms: workerDownMs,
    error_budget_ms: errorBudgetMs,
    stuck_engine_ms: stuckEngineMs,
  }
}

function hostOf({ healthAddress }: HeadraceProcess): string {
  return new URL(healthAddress).host
}

const tools = findTools()
if (tools === undefined) {
  console.log('alerts: not possible here: stack/install-monitoring.sh unpacks what it needs')
  process.exitCode = 3
} else await runProof('alerts', (run) => prove(run, tools))
