import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Into an environment of its own below the folder. Returns the folder of its programs. */
export async function installPython(folder: string, requirement: string): Promise<string> {
  const programs = join(folder, 'bin')
  // Written at the end, so that an installation that broke off begins again.
  const mark = join(folder, `installed ${requirement}`)
  if (existsSync(mark)) return programs
  await mkdir(folder, { recursive: true })
  await run('python3', ['-m', 'venv', folder])
  await run(join(programs, 'pip'), ['install', '--quiet', requirement])
  await writeFile(mark, '')
  return programs
}
