// Libraries are tried by a script that imports them once. It writes `@{"checks":["chat"]}`, reads
// the name of a check from each line of its input, and writes `@{"check":"chat","error":null}`.
import { createInterface } from 'node:readline'
import { signal, type Bench } from './bench.ts'
import type { Check, Command } from './program.ts'

export type Session = Disposable & {
  readonly checks: readonly Check[]
  /** Throws what the script reports. */
  run(check: Check): Promise<void>
}

type Report = { readonly checks?: readonly Check[]; readonly error?: string | null }

const REPORT_LIMIT_MS = 120_000
const OUTPUT_KEPT = 600

export async function openSession(bench: Bench, command: Command): Promise<Session> {
  const child = bench.spawn(command)
  let waiting = Promise.withResolvers<Report>()
  let said = ''
  child.stderr?.on('data', (part: Buffer) => (said = (said + part.toString()).slice(-OUTPUT_KEPT)))
  createInterface({ input: child.stdout! }).on('line', (line) => {
    if (line.startsWith('@{')) waiting.resolve(JSON.parse(line.slice(1)) as Report)
  })
  child.once('close', (code) => waiting.reject(new Error(`the script ended (${code}): ${said}`)))
  child.once('error', (error) => waiting.reject(error))
  const next = async (): Promise<Report> => {
    const late = () => waiting.reject(new Error(`the script said nothing: ${said}`))
    const limit = setTimeout(late, REPORT_LIMIT_MS)
    try {
      return await waiting.promise
    } finally {
      clearTimeout(limit)
      waiting = Promise.withResolvers<Report>()
      // Rejected when the script ends, which is expected between checks.
      waiting.promise.catch(() => undefined)
    }
  }
  const { checks = [] } = await next()
  return {
    checks,
    async run(check) {
      child.stdin?.write(`${check}\n`)
      const { error } = await next()
      if (error !== null && error !== undefined) throw new Error(error)
    },
    [Symbol.dispose]: () => signal(child, 'SIGKILL'),
  }
}
