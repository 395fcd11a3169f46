import { pino } from 'pino'
import type { Config } from '../config/load.ts'
import type { Log } from '../lib/log.ts'

/** The log of a process: JSON lines on standard output. */
export function openLog({ api }: Pick<Config, 'api'>): Log {
  return pino({ level: api.log_level, base: null })
}
