import { closeSync, openSync } from 'node:fs'
import { pino } from 'pino'
import { loadConfigFromProcess, type Config } from '../../config/load.ts'
import { checkCurrency } from '../../store/ledger/currency.ts'
import { migrate } from '../../store/postgres/migrate.ts'
import { findOrganization } from '../../store/tenants/organizations.ts'
import { buildWebIfOlder } from '../build-web.ts'
import { openPlatform } from '../open-platform.ts'
import type { Reloads } from '../signals/reload-on-signal.ts'
import { serveApi } from '../serve-api.ts'
import { serveConsole } from '../serve-console.ts'
import { serveWorker } from '../serve-worker.ts'
import { stopOnSignal } from '../signals/stop-on-signal.ts'
import { DEMO_ORGANIZATION, demoKey, operatorLink } from './demo-tenants.ts'
import { readDevVariables, writeDevVariables, type Variables } from './dev-environment.ts'
import { createDevLogs, paintTerminal } from './print-log.ts'
import { welcome } from './welcome.ts'

export type DevOptions = {
  /** Logs as JSON; what is for people then goes to standard error. */
  readonly json: boolean
}

/** Runs API, worker and console on the development stack, with a demo organization and key. */
export async function runDev(reloads: Reloads, { json }: DevOptions): Promise<void> {
  const hadTerminal = hasTerminal()
  const variables = readDevVariables()
  const load = () => loadConfigFromProcess(undefined, variables)
  const config = load()
  const forPeople = json ? process.stderr : process.stdout
  await buildWebIfOlder(forPeople)
  const demo = await prepareDemo(config, variables)
  writeDevVariables({ ...variables, HEADRACE_DEMO_KEY: demo.key }, config)
  const names = new Map([[demo.organizationId, DEMO_ORGANIZATION]])
  const logOf = createDevLogs(config.api.log_level, json, names)
  const api = await serveApi(config, { log: logOf('api') })
  const worker = await serveWorker(config, logOf('worker'))
  const console_ = await serveConsole(config, undefined, logOf('console'))
  const parts = { api, worker, console: console_ }
  reloads.start(() => {
    // A terminal that was closed sends the same signal.
    if (hadTerminal && !hasTerminal()) process.kill(process.pid, 'SIGTERM')
    else for (const part of Object.values(parts)) void part.reload(load)
  })
  const health = {
    api: api.healthAddress,
    worker: worker.healthAddress,
    console: console_.healthAddress,
  }
  forPeople.write(welcome(config, { ...demo, apiRoot: api.apiRoot, health }, paintTerminal))
  await stopOnSignal(async () => {
    for (const part of Object.values(parts)) await part.stop()
  })
}

type Demo = { readonly organizationId: string; readonly key: string; readonly link: string }

async function prepareDemo(config: Config, variables: Variables): Promise<Demo> {
  await migrate(config.database_url)
  await using platform = openPlatform(config, pino({ level: 'silent' }), { connectionsMax: 1 })
  await checkCurrency(platform.postgres.pool, config.currency)
  const key = await demoKey(platform, config, variables['HEADRACE_DEMO_KEY'])
  const link = await operatorLink(platform)
  const { id } = await findOrganization(platform.postgres.database, DEMO_ORGANIZATION)
  return { organizationId: id, key, link }
}

/** Whether a terminal controls this process. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}
