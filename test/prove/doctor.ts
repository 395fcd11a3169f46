// Each check of headrace doctor fails when what it checks is wrong, with a hint and an exit code.
// covers: src/cli/** src/config/**
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { requireStack } from '../harness/processes/service.ts'
import { compare, runCommand, runDoctor, type Examined } from './doctor/run-doctor.ts'
import { payingScenarios, startPaying } from './doctor/paying.ts'
import type { Scenario } from './doctor/scenario.ts'
import {
  badSettings,
  hiddenProxy,
  beforeMigration,
  incapableEngine,
  invalidConfiguration,
  stoppedMail,
  wrongEngines,
} from './doctor/scenarios-rest.ts'
import {
  alteredPostgres,
  alteredValkey,
  clusterNode,
  notReady,
  replicaOnly,
  spoiledPostgres,
  spoiledValkey,
  stoppedStores,
  unattendedValkey,
  unprivileged,
} from './doctor/scenarios-stores.ts'
import { startSystem, type System } from './doctor/system.ts'

/** On a machine that does nothing else. */
const TOOK_MS_MAX = 2_000
const WAIT_SECONDS = '20'
/** A busy machine is no failure. */
const PATIENT = ['--timeout', '20']
const RESTART_AFTER_MS = 500

await runProof('doctor', async (run) => {
  await using system = await startSystem()
  const healthy = await examineHealthy(system, run)
  const paying = await examinePayments(system, run)
  const spoiled = paying.spoiled
  const scenarios = [
    invalidConfiguration,
    beforeMigration,
    unprivileged,
    alteredPostgres,
    alteredValkey,
    unattendedValkey,
    clusterNode,
    replicaOnly,
    wrongEngines,
    incapableEngine,
    badSettings,
    hiddenProxy,
    stoppedMail,
    spoiledPostgres,
    spoiledValkey,
    stoppedStores,
    notReady(system),
  ]
  for (const scenario of scenarios)
    for (const name of await play(scenario, system, run)) spoiled.add(name)
  await examineWaiting(system, run)
  const examined = [...healthy.checks, ...paying.healthy.checks]
  const known = new Set(examined.map(({ group, check }) => `${group} ${check}`))
  for (const name of known) if (!spoiled.has(name)) run.fail(`${name} was never made to fail`)
  // Some checks are shown only when they fail.
  const checks = known.union(spoiled).size
  const played = scenarios.length + paying.scenarios
  return { checks, made_to_fail: spoiled.size, scenarios: played }
})

/** The same with payments, which most installations do not have. */
async function examinePayments(system: System, run: ProofRun) {
  await using paying = await startPaying(system)
  const healthy = await runDoctor(paying.variables, { args: [...PATIENT, '--only', 'payments'] })
  checkOutput('payments', healthy, paying, run)
  for (const result of healthy.checks)
    if (result.verdict !== 'ok') run.fail(`healthy payments: ${JSON.stringify(result)}`)
  if (healthy.checks.length === 0) run.fail('payments are not examined')
  await examineBundle(paying, run)
  checkDocumented(healthy, run)
  const scenarios = payingScenarios(paying)
  const spoiled = new Set<string>()
  for (const scenario of scenarios)
    for (const name of await play(scenario, paying, run)) spoiled.add(name)
  return { healthy, spoiled, scenarios: scenarios.length }
}

async function examineHealthy(system: System, run: ProofRun): Promise<Examined> {
  const first = await runDoctor(system.variables, { args: run.short ? PATIENT : [] })
  checkOutput('healthy', first, system, run)
  if (first.code !== 0) run.fail(`a healthy system: exit code ${first.code}`)
  for (const result of first.checks)
    if (result.verdict !== 'ok' && !(run.short && result.check === 'round trip'))
      run.fail(`a healthy system: ${JSON.stringify(result)}`)
  if (!run.short && first.tookMs > TOOK_MS_MAX) run.fail(`it took ${first.tookMs} ms`)
  const { output } = await runCommand(system.variables, ['doctor', ...PATIENT], 'ulimit -c 0')
  if (!/^ {2}✓ durability +fsync on/m.test(output)) run.fail(`as text: ${output}`)
  await examineBundle(system, run)
  await examineTop(system, run)
  checkDocumented(first, run)
  return first
}

/** It has the pages of all three processes and no secret. */
async function examineBundle(system: System, run: ProofRun): Promise<void> {
  const file = `${system.environment.file}.tar.gz`
  await runCommand(system.variables, ['debug', 'bundle', '--output', file])
  const contents = gunzipSync(await readFile(file)).toString('latin1')
  for (const url of system.healthUrls)
    if (!contents.includes(`processes/${new URL(url).host.replace(':', '_')}/metrics.txt`))
      run.fail(`the bundle has no metrics of ${url}`)
  for (const secret of system.secrets)
    if (contents.includes(secret)) run.fail('a secret is in the bundle')
}

/** It has a row for each of the three processes. */
async function examineTop({ variables, healthUrls }: System, run: ProofRun): Promise<void> {
  const { output } = await runCommand(variables, ['top', '--json', '--interval', '0.5'])
  type Row = { readonly process: string; readonly kind: string; readonly leader: boolean | null }
  const { processes } = JSON.parse(output) as { readonly processes: readonly Row[] }
  const shown = processes.map(({ process: url, kind, leader }) => `${kind} ${url} ${leader}`)
  const [api, worker, web] = healthUrls
  for (const wanted of [`api ${api} null`, `worker ${worker} true`, `console ${web} null`])
    if (!shown.includes(wanted)) run.fail(`top: ${wanted} is not among ${shown.join(', ')}`)
}

/** Every check has a row in the section of its group. */
function checkDocumented({ checks }: Examined, run: ProofRun): void {
  const page = readFileSync(new URL('../../docs/operating/diagnosis.md', import.meta.url), 'utf8')
  for (const { group, check } of checks) {
    const section = page.split(`### ${group}\n`)[1]?.split('\n#')[0] ?? ''
    if (!new RegExp(`^\\| ${check} +\\|`, 'm').test(section)) run.fail(`${group} ${check}: no docs`)
  }
}

/** Returns the checks that found something wrong, as `group check`. */
async function play(scenario: Scenario, system: System, run: ProofRun): Promise<string[]> {
  const { name, args = [], limits = 'ulimit -c 0', exitCode, expected } = scenario
  const spoiled = await scenario.spoil(system)
  const examined = await runDoctor(
    { ...system.variables, ...spoiled.variables },
    { args: [...PATIENT, ...args], limits },
  )
  await spoiled.restore?.()
  checkOutput(name, examined, system, run)
  if (examined.code !== exitCode) run.fail(`${name}: exit code ${examined.code}`)
  for (const difference of compare(examined, expected)) run.fail(`${name}: ${difference}`)
  const wrong = examined.checks.filter(
    ({ verdict }) => verdict === 'failed' || verdict === 'warning',
  )
  for (const { check, hint } of wrong) if (!hint) run.fail(`${name}: ${check} has no hint`)
  console.log(`${name}: ${wrong.length} found, ${Math.round(examined.tookMs)} ms`)
  return wrong.map(({ group, check }) => `${group} ${check}`)
}

/** With `--wait` it examines a server that is started meanwhile. */
async function examineWaiting(system: System, run: ProofRun): Promise<void> {
  const { postgres, variables } = system
  await postgres.kill()
  const waiting = { HEADRACE_VALKEY_URL: requireStack().valkey.url }
  const args = [...PATIENT, '--only', 'postgresql', '--wait', WAIT_SECONDS]
  const examining = runDoctor({ ...variables, ...waiting }, { args })
  // time is under test: the command has to wait for a server that is not there yet.
  await pause(RESTART_AFTER_MS)
  await postgres.start()
  const { checks } = await examining
  if (checks[0]?.verdict !== 'ok') run.fail(`--wait: ${JSON.stringify(checks[0])}`)
}

function checkOutput(name: string, { output }: Examined, { secrets }: System, run: ProofRun): void {
  for (const secret of [...secrets, 'mail-password'])
    if (output.includes(secret)) run.fail(`${name}: a secret is in the output`)
}
