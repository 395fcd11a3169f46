import { open } from 'node:fs/promises'
import { release, version as kernelVersion } from 'node:os'
import { Check as conforms } from 'typebox/schema'
import { fingerprintOf } from '../../config/fingerprint.ts'
import { ConfigError, loadConfigFromProcess, type Config } from '../../config/load.ts'
import { printableConfig } from '../../config/printable.ts'
import { ProcessStatus } from '../../contract/management/operator-system.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import { redactLogLine } from '../../lib/redact-log.ts'
import type { TarFile } from '../../lib/tar.ts'
import { inspectPostgres } from '../../store/postgres/inspect.ts'
import { countRejected, readBacklog } from '../../store/usage/usage-stream.ts'
import { openValkey } from '../../store/valkey/valkey.ts'
import { examine } from '../doctor/examine.ts'
import { configuredHealthUrls } from '../processes/health-urls.ts'
import { readJsonPage, readPage } from '../processes/read-page.ts'

export type BundleSources = {
  /** Health ports besides those of the configuration. */
  readonly urls: readonly string[]
  readonly logs: readonly string[]
  readonly version: string
}

/** Nobody waits for a bundle, and a slow store is what it should show. */
const TIMEOUT_MS = 10_000
/** The end of each log file. */
const LOG_BYTES_MAX = 8 * 2 ** 20
const PAGES = [
  ['/status', 'status.json'],
  ['/readyz', 'readyz.json'],
  ['/engines', 'engines.json'],
  ['/metrics', 'metrics.txt'],
] as const

/** Whatever is unreachable is left out; the report of the doctor says why. */
export async function collectBundle(sources: BundleSources): Promise<TarFile[]> {
  const { version } = sources
  const config = loadIfValid()
  const report = await examine({
    pre: false,
    only: undefined,
    waitMs: 0,
    timeoutMs: TIMEOUT_MS,
    version,
  })
  const urls = [...sources.urls, ...(config === undefined ? [] : configuredHealthUrls(config))]
  const logs = await Promise.all(sources.logs.map(readLog))
  return [
    json('doctor.json', report.results),
    json('versions.json', await readVersions(config, version)),
    ...(config === undefined ? [] : await describe(config)),
    ...(await Promise.all([...new Set(urls)].map(readProcess))).flat(),
    ...logs.map((content, at) => ({ name: `log-${at + 1}.jsonl`, content })),
  ]
}

function json(name: string, value: unknown): TarFile {
  return { name, content: `${JSON.stringify(value, null, 2)}\n` }
}

function loadIfValid(): Config | undefined {
  try {
    return loadConfigFromProcess()
  } catch (error) {
    if (error instanceof ConfigError) return undefined
    throw error
  }
}

async function describe(config: Config): Promise<TarFile[]> {
  return [
    json('configuration.json', {
      fingerprint: fingerprintOf(config),
      settings: printableConfig(config),
    }),
    json('usage.json', await readUsage(config)),
  ]
}

async function readVersions(config: Config | undefined, version: string): Promise<object> {
  const migrations = config === undefined ? null : await readMigrations(config).catch(() => null)
  return {
    headrace: version,
    node: process.versions,
    system: { platform: process.platform, arch: process.arch, release: release() },
    kernel: kernelVersion(),
    migrations,
    made_at: new Date().toISOString(),
  }
}

async function readMigrations(config: Config): Promise<object> {
  using inspection = await inspectPostgres(config.database_url, TIMEOUT_MS)
  return await inspection.readMigrations()
}

/** Null without Valkey. */
async function readUsage(config: Config): Promise<object | null> {
  await using valkey = openValkey(config.valkey_urls)
  try {
    await valkey.connected(TIMEOUT_MS)
    return { ...(await readBacklog(valkey)), rejected: await countRejected(valkey) }
  } catch {
    return null
  }
}

/** The pages of a process; nothing of a program that is not ours. */
async function readProcess(url: string): Promise<TarFile[]> {
  if (!conforms(ProcessStatus, await readJsonPage(url, '/status'))) return []
  const folder = `processes/${new URL(url).host.replaceAll(/[^\w.-]/g, '_')}`
  const pages = await Promise.all(
    PAGES.map(async ([path, name]) => ({ name, page: await readPage(url, path) })),
  )
  return pages.flatMap(({ name, page }) =>
    page === undefined || page.status === 404
      ? []
      : [{ name: `${folder}/${name}`, content: page.text }],
  )
}

/** The newest lines, as far as they are lines of our log. */
async function readLog(file: string): Promise<string> {
  try {
    await using handle = await open(file)
    const { size } = await handle.stat()
    const start = Math.max(0, size - LOG_BYTES_MAX)
    const bytes = Buffer.alloc(Math.min(size, LOG_BYTES_MAX))
    await handle.read(bytes, 0, bytes.length, start)
    const lines = bytes
      .toString()
      .split('\n')
      .slice(start === 0 ? 0 : 1)
    const kept = lines.map(redactLogLine).filter((line) => line !== undefined)
    return kept.map((line) => `${line}\n`).join('')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new OperatorError(`the log cannot be read (${code ?? 'unreadable'})`, { cause })
  }
}
