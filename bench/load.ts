import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { chooseFreePort } from '../stack/ports.ts'
import { HARNESS_CPU, startPinned, waitForPort, type Running } from './processes.ts'

/** What stands between the load generator and the engine. */
export type Target = {
  readonly name: string
  readonly version: string
  readonly port: number
  readonly path: string
  readonly headers: readonly string[]
  /** The processes whose time and memory count. */
  readonly pids: readonly number[]
  /** Whether it asks the engine by itself to count along the way, as Headrace does. */
  readonly asksForCounts: boolean
}

export type Workload = {
  readonly name: string
  /** Arguments of the load generator. */
  readonly load: readonly string[]
  /** What its cost is given for. */
  readonly per: 'request' | 'event' | 'abort'
}

type Distribution = { readonly n: number; readonly p50: number; readonly p99: number }

/** What the load generator prints, as far as it is read here. */
export type LoadReport = {
  readonly wrong: {
    readonly status: number
    readonly last_status: number
    readonly end: number
    readonly io: number
  }
  readonly wall_s: number
  /** Streams that the load generator broke off. */
  readonly aborted: number
  readonly requests_per_s: number
  readonly events_per_s: number
  readonly cpu_us_per_request?: number
  readonly cpu_us_per_event?: number
  readonly cpu_util: number
  readonly cpu_user_share: number
  readonly rss_mib: number
  /** From a request to its first content, which is the first token or the JSON body. */
  readonly first_us: Distribution
}

const BUILD = join(import.meta.dirname, 'build')
const ENGINE_PORT_FIRST = 21_700

export async function buildTools(): Promise<void> {
  try {
    await promisify(execFile)('make', ['-s', '-C', import.meta.dirname])
  } catch (error) {
    throw new Error('the load tools need make and a C compiler (cc)', { cause: error })
  }
}

export async function startFakeEngine(): Promise<Running & { readonly port: number }> {
  const port = await chooseFreePort(ENGINE_PORT_FIRST)
  const engine = startPinned(HARNESS_CPU, [join(BUILD, 'fake-engine'), `${port}`])
  await waitForPort(port, engine)
  return { ...engine, port }
}

/** Puts one workload on one target. Fails unless every reply was whole and right. */
export async function runLoad(
  target: Target,
  { load }: Pick<Workload, 'load'>,
  enginePid: number,
): Promise<LoadReport> {
  const { port, path, headers, pids, asksForCounts } = target
  const streamed = load.includes('--stream') && !asksForCounts ? ['--counting'] : []
  const where = ['--port', `${port}`, '--path', path]
  const watched = ['--pid', pids.join(','), '--engine-pid', `${enginePid}`]
  const command = [
    join(BUILD, 'loadgen'),
    ...where,
    ...watched,
    ...headers.flatMap((header) => ['--header', header]),
    ...load,
    ...streamed,
  ]
  await using running = startPinned(HARNESS_CPU, command, { stdio: ['ignore', 'pipe', 'pipe'] })
  const { stdout, stderr } = running.child
  if (stdout === null || stderr === null) throw new Error('no output')
  const [printed, complaint] = await Promise.all([text(stdout), text(stderr)])
  if (printed === '') throw new Error(`${target.name}: ${complaint}`)
  const report = JSON.parse(printed) as LoadReport
  const { status, last_status: last, end, io } = report.wrong
  if (status + end + io > 0)
    throw new Error(
      `${target.name}: wrong replies: ${status} by status (${last}), ${end} by end, ${io} broken`,
    )
  return report
}
