import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chooseFreePort } from '../../../stack/ports.ts'
import { servers } from '../../../stack/servers.ts'
import { waitUntil } from '../../harness/figures/measure.ts'
import { killAtExit } from '../../harness/processes/kill-at-exit.ts'

const PORT_FIRST = 24_000
const PORTS = 3_000
const START_TIMEOUT_MS = 30_000
const KIB_PER_MB = 1_024
/** The demo engine reserves 1.5 GB of addresses and uses a sixth of it. */
const ADDRESS_SPACE_MB_MAX = 3_000

/** A real engine of the proof's own, which a request may crash. */
export type CappedEngine = AsyncDisposable & {
  readonly url: string
  hasEnded(): boolean
  /** The most memory that it ever used. */
  rssMbMax(): number
}

/**
 * Started as the stack starts its own, but with a cap on its address space: an engine that grows
 * without a bound ends before the machine does.
 */
export async function startCappedEngine(): Promise<CappedEngine> {
  const engine = servers.find(({ name }) => name === 'engine')
  if (engine === undefined) throw new Error('the stack has no engine')
  const port = await chooseFreePort(PORT_FIRST + Math.floor(Math.random() * PORTS))
  const url = engine.url(port)
  const { program, folder } = engine.prepare(port)
  const cap = `ulimit -c 0; ulimit -v ${ADDRESS_SPACE_MB_MAX * KIB_PER_MB}; exec "$0" "$@"`
  const child = spawn('sh', ['-c', cap, program.command, ...program.args], {
    cwd: folder,
    env: program.env,
    stdio: 'ignore',
  })
  killAtExit(child)
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const isReady = async () => {
    if (hasEnded()) throw new Error('llama-server ended instead of starting')
    return engine.answers(url)
  }
  await waitUntil('llama-server to be ready', isReady, START_TIMEOUT_MS)
  let highest = 0
  return {
    url,
    hasEnded,
    rssMbMax: () => (highest = peakRssMb(child.pid) ?? highest),
    async [Symbol.asyncDispose]() {
      if (hasEnded()) return
      // An engine that hangs reacts to nothing else.
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** The kernel's own high-water mark, or undefined once the process has ended. */
function peakRssMb(pid: number | undefined): number | undefined {
  try {
    const kib = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kib === undefined ? undefined : Math.round(Number(kib) / KIB_PER_MB)
  } catch {
    return undefined
  }
}
