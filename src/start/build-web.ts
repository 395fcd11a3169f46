import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const WEB = fileURLToPath(new URL('../../web', import.meta.url))
/** What the build is made from. */
const SOURCES = ['src', 'public', 'index.html', 'vite.config.ts', 'precompress.ts', 'package.json']

/** Builds the web app if it was not built since its sources changed. */
export async function buildWebIfOlder(web: string = WEB): Promise<void> {
  if (!isOlder(web)) return
  console.log('Building the web app …')
  const build = spawn('npm', ['run', '--silent', 'build'], { cwd: web, stdio: 'inherit' })
  const [code] = (await once(build, 'exit')) as [number | null]
  if (code !== 0) console.log('The web app could not be built; only the APIs are served.')
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
