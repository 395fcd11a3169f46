import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { takeLock } from './lock.ts'
import { chooseFreePort } from './ports.ts'
import { identifyProcess, isRunning, waitForEnd, type ProcessIdentity } from './process-identity.ts'
import type { Server } from './servers.ts'
import { stackFolder, type ServerState } from './state.ts'

/** A start fails if another process takes the port, or children of a killed server still run. */
const ATTEMPTS = 3
/** Long enough for PostgreSQL's crash recovery. */
const START_TIMEOUT_MS = 60_000
const STOP_TIMEOUT_MS = 20_000
const KILL_TIMEOUT_MS = 5_000
const POLL_MS = 20
const LOG_TAIL_LINES = 15

/**
 * Makes sure that the server runs and responds. `record` is called as soon as a process exists, so
 * that `down` finds it even if this process dies before the server is ready.
 */
export async function ensureServer(
  server: Server,
  last: ServerState | undefined,
  record: (state: ServerState) => void,
): Promise<{ url: string; isNew: boolean }> {
  const identity = last && processOf(last)
  if (last && identity && isRunning(identity)) {
    if (await becomesReady(server, last.url, identity)) return { url: last.url, isNew: false }
    throw new Error(`${server.title} (process ${identity.pid}) is running but does not respond`)
  }
  // A port is free until its server has bound it: stacks of other checkouts wait for that.
  const lock = await takeLock(join(tmpdir(), `headrace-stack-${userInfo().uid}`, server.name))
  try {
    return await startServer(server, last, record)
  } finally {
    lock.release()
  }
}

async function startServer(
  server: Server,
  last: ServerState | undefined,
  record: (state: ServerState) => void,
): Promise<{ url: string; isNew: boolean }> {
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
    `${server.title} failed to start. Last lines of ${logPath(server)}:\n${logTail(server)}`,
  )
}

/** Stops the process, if it is still the one that was started, and waits for its exit. */
export async function stopServer(server: Server, state: ServerState): Promise<boolean> {
  const identity = processOf(state)
  if (identity === undefined || !isRunning(identity)) return false
  process.kill(identity.pid, server.stopSignal)
  if (await waitForEnd(identity, STOP_TIMEOUT_MS)) return true
  process.kill(identity.pid, 'SIGKILL')
  if (await waitForEnd(identity, KILL_TIMEOUT_MS)) return true
  throw new Error(`${server.title} (process ${identity.pid}) did not stop`)
}

export function processOf({ pid, started }: ServerState): ProcessIdentity | undefined {
  return pid === undefined || started === undefined ? undefined : { pid, started }
}

/** False if the process exits or the timeout expires first. */
async function becomesReady(
  server: Server,
  url: string,
  identity: ProcessIdentity,
): Promise<boolean> {
  const deadline = performance.now() + (server.startTimeoutMs ?? START_TIMEOUT_MS)
  while (isRunning(identity) && performance.now() < deadline) {
    // Checked again after the response, which may come from another process on the same port.
    if (await server.answers(url)) return isRunning(identity)
    await delay(POLL_MS)
  }
  return false
}

/** Starts the server in its own session, so that it outlives the terminal. */
function startDetached(server: Server, port: number): ProcessIdentity | undefined {
  const { program, folder } = server.prepare(port)
  mkdirSync(stackFolder, { recursive: true })
  if (existsSync(logPath(server))) renameSync(logPath(server), `${logPath(server)}.1`)
  const log = openSync(logPath(server), 'a')
  try {
    const child = spawn(program.command, program.args, {
      cwd: folder,
      detached: true,
      env: program.env,
      stdio: ['ignore', log, log],
    })
    // Without a listener, a missing program would crash this process. The caller checks the pid.
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
