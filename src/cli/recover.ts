import type { Command } from 'commander'
import type { Recovery } from '../start/recover.ts'
import { openAuditLog } from './operator.ts'
import { authorOf, byOption, jsonOption, type ByOption, type JsonOption } from './options.ts'
import { registerRecoverPayments } from './payments/recover-payments.ts'
import { printRecord, printTable } from './print.ts'

type RecoverOptions = JsonOption &
  ByOption & { readonly dryRun?: boolean; readonly force?: boolean }

export function registerRecover(program: Command): void {
  const recover = program
    .command('recover')
    .description(
      'make PostgreSQL and Valkey agree after one of them was restored or lost; stop api and ' +
        'workers first; safe to repeat',
    )
    .option('--dry-run', 'only show what there is to do')
    .option('--force', 'continue although processes are running')
    .addOption(byOption())
    .addOption(jsonOption())
    .action(async (options: RecoverOptions) => {
      const { loadConfigFromProcess } = await import('../config/load.ts')
      const { recover: run } = await import('../start/recover.ts')
      const dryRun = options.dryRun === true
      const recovery = await run(loadConfigFromProcess(), {
        dryRun,
        force: options.force === true,
        by: authorOf(options),
        log: await openAuditLog(),
      })
      if (options.json === true) console.log(JSON.stringify(viewOf(recovery, dryRun), null, 2))
      else print(recovery, dryRun)
    })
  registerRecoverPayments(recover)
}

/** What the command changed, or would change. */
function changesOf(recovery: Recovery) {
  return {
    versions_raised: recovery.versions,
    open_requests_closed: recovery.closed,
    waiting_records_posted: recovery.waiting,
    kept_records_posted: recovery.keptMissing,
    cached_funds_dropped: recovery.funds,
    counters_rebuilt: recovery.countersRebuilt,
  }
}

function viewOf(recovery: Recovery, dryRun: boolean) {
  const changes = changesOf(recovery)
  const hours = recovery.hours.map(({ hour, counted, posted, missing }) => ({
    hour: hour.toISOString(),
    counted_records: counted.records,
    posted_records: posted.records,
    counted_tokens: counted.prompt + counted.completion,
    posted_tokens: posted.prompt + posted.completion,
    missing_records: missing.records,
    missing_tokens: missing.tokens,
  }))
  return {
    dry_run: dryRun,
    running_processes: recovery.running.processes.size,
    running_connections: recovery.running.connections,
    nothing_to_do: Object.values(changes).every((count) => count === 0),
    ...changes,
    kept_records: recovery.kept,
    missing_records: hours.reduce((sum, each) => sum + each.missing_records, 0),
    missing_tokens: hours.reduce((sum, each) => sum + each.missing_tokens, 0),
    hours,
  }
}

function print(recovery: Recovery, dryRun: boolean): void {
  const { nothing_to_do: isDone, hours, ...view } = viewOf(recovery, dryRun)
  const { running_processes: processes, running_connections: connections } = view
  if (dryRun && processes + connections > 0)
    console.log(
      `headrace api or headrace worker is running (${processes} in Valkey, ${connections} ` +
        'connections to PostgreSQL): the figures may change, and without --dry-run this is refused',
    )
  if (isDone) console.log('nothing to do')
  else printRecord({ ...changesOf(recovery), kept_records: recovery.kept }, {})
  const missing = hours.filter((each) => each.missing_records > 0 || each.missing_tokens > 0)
  if (missing.length === 0) {
    console.log('PostgreSQL has all usage that Valkey counted in the last 72 hours')
    return
  }
  console.log(
    `PostgreSQL lacks ${view.missing_records} usage records (${view.missing_tokens} tokens) ` +
      'that Valkey counted:',
  )
  printTable(Object.keys(missing[0] ?? {}), missing, {})
}
