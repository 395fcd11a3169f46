import { mkdirSync } from 'node:fs'
import { chooseAddresses, findComposeObstacle, startContainers, stopContainers } from './compose.ts'
import { findObstacle, installDebianPrograms, installPostgres } from './install.ts'
import { takeLock } from './lock.ts'
import { isRunning } from './process-identity.ts'
import { ensureServer, processOf, stopServer } from './run-server.ts'
import { engineKey, servers, type Server } from './servers.ts'
import { readPartialStack, stackFolder, writeStack, type ServerState, type Stack } from './state.ts'

const USAGE = `usage: npm run stack -- up | down | status

up      installs (once) and starts PostgreSQL, Valkey and llama-server below .stack/
down    ends what up started; the data stay
status  says what runs; exit code 0 only if all three do`

const FAILED = 1
const WRONG_USAGE = 2
/** Tells "this machine cannot run the stack" from "the stack failed". */
const NOT_POSSIBLE = 3

process.exitCode = await main(process.argv[2])

async function main(command: string | undefined): Promise<number> {
  if (command === 'up') return underLock(up)
  if (command === 'down') return underLock(down)
  if (command === 'status') return status()
  console.error(USAGE)
  return WRONG_USAGE
}

async function underLock(action: () => Promise<number>): Promise<number> {
  // What is installed must be readable to the user PostgreSQL runs as, whatever our umask is.
  process.umask(0o022)
  mkdirSync(stackFolder, { recursive: true })
  const lock = await takeLock(stackFolder, ({ pid }) =>
    console.error(`process ${pid} works on the stack: waiting for it ...`),
  )
  try {
    return await action()
  } catch (error) {
    console.error(describeFault(error))
    return FAILED
  } finally {
    lock.release()
  }
}

async function up(): Promise<number> {
  if (!(await allRun())) {
    const obstacle = await findObstacle()
    if (obstacle === undefined) {
      await startProcesses()
    } else {
      const composeObstacle = await findComposeObstacle()
      if (composeObstacle !== undefined) {
        console.error(`The stack cannot run on this machine.
- From Debian packages: ${obstacle}.
- With Docker: ${composeObstacle}.`)
        return NOT_POSSIBLE
      }
      console.error(`starting the containers of compose.yaml (${obstacle}) ...`)
      const stack = await chooseAddresses(readPartialStack())
      // Recorded first, so that `down` removes what a failed start leaves behind.
      writeStack(stack)
      await startContainers(stack)
    }
  }
  return status()
}

async function startProcesses(): Promise<void> {
  const say = (line: string) => console.error(line)
  const installed = { debian: installDebianPrograms(say), postgres: installPostgres(say) }
  const stack = readPartialStack()
  await allOrThrow(
    servers.map(async (server) => {
      await (server.name === 'postgres' ? installed.postgres : installed.debian)
      const { isNew } = await ensureServer(server, stack[server.name], (state) => {
        record(stack, server, state)
        writeStack(stack)
      })
      if (isNew) say(`started ${server.title}`)
    }),
  )
}

function record(stack: Partial<Stack>, server: Server, state: ServerState): void {
  if (server.name === 'engine') stack.engine = { ...state, apiKey: engineKey() }
  else stack[server.name] = state
}

/** Waits for all of them, so that none is still at work when the lock is released. */
async function allOrThrow(promises: Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(promises)
  const faults = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  if (faults.length > 0) throw new Error([...new Set(faults.map(describeFault))].join('\n'))
}

async function down(): Promise<number> {
  const stack = readPartialStack()
  const states = Object.values(stack)
  if (states.length > 0 && states.every((state) => state.pid === undefined)) {
    await stopContainers()
    console.log('removed the containers; their volumes stay')
  }
  await allOrThrow(
    servers.map(async (server) => {
      const state = stack[server.name]
      if (state === undefined) return
      if (await stopServer(server, state)) console.log(`${server.title} has ended`)
      delete stack[server.name]
      writeStack(stack)
    }),
  )
  return 0
}

async function status(): Promise<number> {
  const stack = readPartialStack()
  const lines = await Promise.all(
    servers.map(async (server) => {
      const state = stack[server.name]
      const runs = state !== undefined && (await serverRuns(server, state))
      const where = state === undefined ? '' : `  ${state.url}`
      const who = runs && state.pid !== undefined ? `  (process ${state.pid})` : ''
      return { runs, text: `${server.title.padEnd(14)}${runs ? 'runs' : 'down'}${where}${who}` }
    }),
  )
  for (const { text } of lines) console.log(text)
  if (stack.engine !== undefined) console.log(`The engine's key is in .stack/engine.key`)
  return lines.every(({ runs }) => runs) ? 0 : FAILED
}

async function allRun(): Promise<boolean> {
  const stack = readPartialStack()
  const runs = await Promise.all(
    servers.map(async (server) => {
      const state = stack[server.name]
      return state !== undefined && (await serverRuns(server, state))
    }),
  )
  return runs.every(Boolean)
}

async function serverRuns(server: Server, state: ServerState): Promise<boolean> {
  const identity = processOf(state)
  if (identity !== undefined && !isRunning(identity)) return false
  return server.answers(state.url)
}

/** A failed child's output says more than our own stack trace. */
function describeFault(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault)
  const { stderr } = fault as { stderr?: unknown }
  return typeof stderr === 'string' && stderr !== '' ? stderr.trim() : fault.message
}
