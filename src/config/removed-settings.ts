import type { Path } from './references.ts'

/** Settings that existed once, with what an operator does instead. `[]` is any entry of a list. */
const REMOVED: Readonly<Record<string, string>> = {
  'api.bucket_seconds': 'alert on one of the bounds that the histograms have',
  'api.connections_max': 'a process accepts 16384 connections, as far as its open files allow',
  'api.read_pause_seconds': 'pauses last at most 60 ms, and only while the process is busy',
  'api.reuse_port': 'run headrace api with --reuse-port or --processes',
  'console.docs_folder': 'console.docs is a URL or a folder',
  'console.docs_url': 'console.docs is a URL or a folder',
  'console.idle_minutes': 'sessions end after 7 days without use',
  'console.operator_idle_minutes': 'sessions of operators and owners end after 60 unused minutes',
  'console.operator_session_hours': 'sessions of operators and owners last at most 12 hours',
  'console.plan_of_new_organizations':
    'unless console.sign_up is closed, people create organizations on the default_plan',
  'engines[].capabilities.end_marker': 'a stream ends with [DONE], or after a finish reason',
  'ledger.daily_days': 'sums per day are kept for 1096 days',
  'ledger.hourly_days': 'sums per hour are kept for 90 days',
  'ledger.transfers_days': 'ledger.records_days counts for them too',
  'models[].bytes_per_token': 'estimates assume 4 bytes per token',
  'models[].first_byte_seconds': 'it is called first_token_seconds',
  'models[].reasoning.mandatory': 'it is, unless supported_efforts has none',
  'payments.charge_max': 'payments.top_up_max bounds a charge of a saved card too',
  'retention.queue_bytes_max': 'the queue has 64 MiB per process',
  'usage.acknowledged_aof': 'set appendfsync always in Valkey, which then syncs before it replies',
  'worker.batch_records': 'a transaction has at most 5000 records',
  'worker.partitions_ahead_days': 'partitions are created 7 days in advance',
  'worker.poll_seconds': 'the worker looks for records every 200 ms',
}

/** Follows "is not a known setting"; empty if there never was one at this path. */
export function hintAtRemoved(path: Path): string {
  const names = path.map((step) => (typeof step === 'number' ? '[]' : `.${step}`))
  const name = names.join('').slice(1)
  return Object.hasOwn(REMOVED, name) ? ` any more: ${REMOVED[name]}` : ''
}

/** The variables that set removed settings, each with what replaces it. */
export function removedVariables(
  environment: Readonly<Record<string, string | undefined>>,
): string[] {
  return Object.entries(REMOVED).flatMap(([name, replacement]) => {
    const variable = `HEADRACE_${name.replace('.', '_').toUpperCase()}`
    return environment[variable]
      ? [`${variable} is not a known setting any more: ${replacement}`]
      : []
  })
}
