import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { chooseFreePort } from './ports.ts'
import { identifyProcess, isRunning, waitForEnd, type ProcessIdentity } from './process-identity.ts'
import type { Server } from './servers.ts'
import { stackFolder, type ServerState } from './state.ts'

/** A server can lose its port to another process, or meet the last children of a killed one. */
const ATTEMPTS = 3
/** Recovery after a crash is the slowest start there is. */
const START_TIMEOUT_MS = 60_000
const STOP_TIMEOUT_MS = 20_000
const KILL_TIMEOUT_MS = 5_000
const POLL_MS = 20
const LOG_TAIL_LINES = 15

/**
 * Makes sure that the server runs and answers. `record` is called as soon as a process exists, so
 * that `down` finds it even if this process dies before the server answers.
 */
export async function ensureServer(
  server: Server,
  last: ServerState | undefined,
  record: (state: ServerState) => void,
): Promise<{ url: string; isNew: boolean }> {
  const identity = last && processOf(last)
  if (last && identity && isRunning(identity)) {
    if (await becomesReady(server, last.url, identity)) return { url: last.url, isNew: false }
    throw new Error(`${server.title} runs (process ${identity.pid}) but does not answer`)
  }
  const wanted = last ? Number(new URL(last.url).port) : server.defaultPort
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const port = await chooseFreePort(wanted)
    const url = server.url(port)
    const started = startDetached(server, port)
    if (started === undefined) continue
    record({ url, ...started })
    if (await becomesReady(server, url, started)) return { url, isNew: true }
    if (isRunning(started)) break
  }
  throw new Error(
    `${server.title} does not start. The end of ${logPath(server)}:\n${logTail(server)}`,
  )
}

/** Ends the process if it is still the one that was started, and waits for its end. */
export async function stopServer(server: Server, state: ServerState): Promise<boolean> {
  const identity = processOf(state)
  if (identity === undefined || !isRunning(identity)) return false
  process.kill(identity.pid, server.stopSignal)
  if (await waitForEnd(identity, STOP_TIMEOUT_MS)) return true
  process.kill(identity.pid, 'SIGKILL')
  if (await waitForEnd(identity, KILL_TIMEOUT_MS)) return true
  throw new Error(`${server.title} (process ${identity.pid}) does not end`)
}

export function processOf({ pid, started }: ServerState): ProcessIdentity | undefined {
  return pid === undefined || started === undefined ? undefined : { pid, started }
}

/** False if the process ended or the timeout did. */
async function becomesReady(
  server: Server,
  url: string,
  identity: ProcessIdentity,
): Promise<boolean> {
  const deadline = performance.now() + START_TIMEOUT_MS
  while (isRunning(identity) && performance.now() < deadline) {
    // Asked once more after the answer: it may have come from a stranger on the same port.
    if (await server.answers(url)) return isRunning(identity)
    await delay(POLL_MS)
  }
  return false
}

/** Starts the server in a session of its own, so that it outlives our terminal. */
function startDetached(server: Server, port: number): ProcessIdentity | undefined {
  const { program, folder } = server.prepare(port)
  if (existsSync(logPath(server))) renameSync(logPath(server), `${logPath(server)}.1`)
  const log = openSync(logPath(server), 'a')
  try {
    const child = spawn(program.command, program.args, {
      cwd: folder,
      detached: true,
      env: program.env,
      stdio: ['ignore', log, log],
    })
    // Without a listener a missing program would end this process; the caller sees no id instead.
    child.on('error', () => {})
    child.unref()
    return child.pid === undefined ? undefined : identifyProcess(child.pid)
  } finally {
    closeSync(log)
  }
}

function logPath(server: Server): string {
  return join(stackFolder, `${server.name}.log`)
}

function logTail(server: Server): string {
  if (!existsSync(logPath(server))) return '(no log)'
  return readFileSync(logPath(server), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(-LOG_TAIL_LINES)
    .join('\n')
}
