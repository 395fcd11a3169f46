import { readFileSync } from 'node:fs'
import { traceError, type Log } from '../lib/log.ts'

const EXIT_CODE_FAULT = 1

/**
 * What the memory of a process holds must not get out of it when it ends badly: Node would print
 * the message of an error that nobody caught, which can quote what a client sent. It also warns of
 * settings of the machine by which a crash would write memory to disk, since a program cannot
 * change those by itself.
 */
export function guardMemory(log: Log): void {
  const end = (error: unknown) => {
    log.error({ error: traceError(error) }, 'ends by an unforeseen fault')
    process.exit(EXIT_CODE_FAULT)
  }
  process.on('uncaughtException', end)
  process.on('unhandledRejection', end)
  // A warning's text is its author's, and may quote whatever made it.
  process.removeAllListeners('warning')
  process.on('warning', (warning) => log.warn({ error: traceError(warning) }, 'warning of Node'))
  if (dumpsCore()) log.warn({}, 'core dumps are on, and would hold content: set ulimit -c 0')
  const { report } = process
  if (report.reportOnFatalError || report.reportOnSignal || report.reportOnUncaughtException)
    log.warn({}, 'diagnostic reports are on, and may hold content: set no --report options')
}

/** False where the machine does not say, as outside Linux. */
function dumpsCore(): boolean {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    return !/^Max core file size +0 /m.test(limits)
  } catch {
    return false
  }
}
