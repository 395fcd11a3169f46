import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const WEB = fileURLToPath(new URL('../../web', import.meta.url))
/** What the build is made from. */
const SOURCES = [
  'src',
  'public',
  'index.html',
  'build.ts',
  'words-of.ts',
  'vite.config.ts',
  'precompress.ts',
  'package.json',
]

/** Builds the web app if it was not built since its sources changed, and says so in one line. */
export async function buildWebIfOlder(
  output: Pick<NodeJS.WritableStream, 'write'>,
  web: string = WEB,
): Promise<void> {
  if (!isOlder(web)) return
  output.write('Building the web app … ')
  const sinceMs = performance.now()
  const build = spawn('npm', ['run', '--silent', 'build'], {
    cwd: web,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed: Buffer[] = []
  for (const stream of [build.stdout, build.stderr])
    stream.on('data', (chunk: Buffer) => void printed.push(chunk))
  const [code] = (await once(build, 'close')) as [number | null]
  if (code === 0) {
    output.write(`${((performance.now() - sinceMs) / 1000).toFixed(1)} s\n`)
    return
  }
  output.write(`failed\n${Buffer.concat(printed).toString()}`)
  output.write('The web app could not be built; only the APIs are served.\n')
}

/** Whether there is no build, or a source is newer than it. */
export function isOlder(web: string): boolean {
  const builtAtMs = changedAtMs(join(web, 'dist/index.html'))
  if (builtAtMs === undefined) return true
  return SOURCES.flatMap((name) => filesBelow(join(web, name))).some(
    (path) => (changedAtMs(path) ?? 0) > builtAtMs,
  )
}

function filesBelow(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return []
  if (!found.isDirectory()) return [path]
  // Folders count too: their time changes when a file is removed.
  return [path, ...readdirSync(path, { recursive: true }).map((name) => join(path, String(name)))]
}

function changedAtMs(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs
}
