import { readFileSync } from 'node:fs'
import { fingerprintOf } from '../config/fingerprint.ts'
import type { Config } from '../config/load.ts'
import type { ProcessStatus } from '../contract/management/operator-system.ts'

/** What a process tells about itself at its health port. */
export function processStatus(kind: ProcessStatus['kind'], config: Config): ProcessStatus {
  const manifest = new URL('../../package.json', import.meta.url)
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
  return {
    kind,
    version,
    pid: process.pid,
    started_at: new Date().toISOString(),
    configuration: fingerprintOf(config),
  }
}
