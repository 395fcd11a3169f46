import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Result, Verdict } from '../../../src/cli/doctor/run-checks.ts'
import { COMPILE_CACHE } from '../../harness/processes/compile-cache.ts'
import type { Variables } from './system.ts'

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))

export type Examined = {
  readonly code: number | null
  readonly checks: readonly Result[]
  readonly output: string
  readonly tookMs: number
}

/** Runs `headrace doctor --json`; `limits` is run by the shell before it. */
export async function runDoctor(
  variables: Variables,
  { args = [], limits = 'ulimit -c 0' }: { args?: readonly string[]; limits?: string } = {},
): Promise<Examined> {
  const beganMs = performance.now()
  const { code, output } = await runCommand(variables, ['doctor', '--json', ...args], limits)
  const tookMs = performance.now() - beganMs
  const { checks } = JSON.parse(output.slice(0, output.lastIndexOf('}') + 1)) as {
    checks: Result[]
  }
  return { code, checks, output, tookMs }
}

export async function runCommand(variables: Variables, args: readonly string[], limits = 'true') {
  const command = ['-c', `${limits}; exec "$@"`, '', process.execPath, MAIN, ...args]
  const child = spawn('bash', command, {
    env: { ...COMPILE_CACHE, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close') as Promise<[number | null]>
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = await closed
  return { code, output: out + errors }
}

/** What a check should have found, by `group check`. */
export type Expected = Readonly<Record<string, readonly [Verdict, RegExp, RegExp?]>>

/** The differences between what was found and what was expected. */
export function compare(examined: Examined, expected: Expected): string[] {
  return Object.entries(expected).flatMap(([name, [verdict, found, hint]]) => {
    const results = examined.checks.filter((result) => nameOf(result) === name)
    const matches = results.some(
      (result) =>
        result.verdict === verdict &&
        found.test(result.found) &&
        (hint === undefined || hint.test(result.hint ?? '')),
    )
    return matches ? [] : [`${name}: expected ${verdict} ${found}, got ${JSON.stringify(results)}`]
  })
}

/** `group check`, or `group engine: check` where it is of one among several. */
function nameOf({ group, of, check }: Result): string {
  return of === undefined ? `${group} ${check}` : `${group} ${of}: ${check}`
}
