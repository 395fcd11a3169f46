import { Worker } from 'node:worker_threads'

/** Ends a run that hangs in one input, which a synchronous target cannot do itself. */
export type Watchdog = {
  begin(input: Buffer): void
  stop(): Promise<void>
}

const HANG_MS = 30_000
const INPUT_LENGTH_MAX = 65_536

const SOURCE = `
const { workerData } = require('node:worker_threads')
const { mkdirSync, writeFileSync } = require('node:fs')
const { dirname } = require('node:path')
const { shared, hangMs, path } = workerData
const [state, bytes] = [new Int32Array(shared, 0, 2), new Uint8Array(shared, 8)]
let last = -1
setInterval(() => {
  const runs = Atomics.load(state, 0)
  if (runs !== last) { last = runs; return }
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, bytes.slice(0, Atomics.load(state, 1)))
  console.error('An input did not end within ' + hangMs + ' ms. It was written to ' + path)
  process.kill(process.pid, 'SIGKILL')
}, hangMs)`

/** The input that hangs is written to `path`. */
export function startWatchdog(path: string): Watchdog {
  const shared = new SharedArrayBuffer(8 + INPUT_LENGTH_MAX)
  const state = new Int32Array(shared, 0, 2)
  const bytes = new Uint8Array(shared, 8)
  const worker = new Worker(SOURCE, {
    eval: true,
    workerData: { shared, hangMs: HANG_MS, path },
    execArgv: [],
  })
  worker.unref()
  return {
    begin(input) {
      bytes.set(input.subarray(0, INPUT_LENGTH_MAX))
      Atomics.store(state, 1, Math.min(input.length, INPUT_LENGTH_MAX))
      Atomics.add(state, 0, 1)
    },
    async stop() {
      await worker.terminate()
    },
  }
}
