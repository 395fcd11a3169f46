import { mkdirSync } from 'node:fs'
import { chooseAddresses, findComposeObstacle, startContainers, stopContainers } from './compose.ts'
import type { LiveEngine } from './engines/engine-command.ts'
import { findEngineObstacle, installEngine } from './engines/install-engine.ts'
import { findObstacle, installDebianPrograms, installPostgres } from './install.ts'
import { takeLock } from './lock.ts'
import { isRunning } from './process-identity.ts'
import { ensureServer, processOf, stopServer } from './run-server.ts'
import { engineKey, liveServers, servers, type Server } from './servers.ts'
import { readPartialStack, stackFolder, writeStack, type ServerState, type Stack } from './state.ts'

const USAGE = `usage: npm run stack -- up [--engine vllm | sglang] | down | status

up      install (once) and start PostgreSQL, Valkey and llama-server in .stack/,
        with --engine also a real vLLM or SGLang for processors (6 to 8 GB on disk)
down    stop the servers; keeps the data
status  show which servers are running; exits 0 only if all three are`

const FAILED = 1
const WRONG_USAGE = 2
/** The machine cannot run the stack, as opposed to a failure. */
const NOT_POSSIBLE = 3

process.exitCode = await main(process.argv.slice(2))

async function main([command, option, engine]: readonly string[]): Promise<number> {
  if (command === 'up' && option === undefined) return underLock(up)
  if (command === 'up' && option === '--engine' && (engine === 'vllm' || engine === 'sglang'))
    return underLock(() => upWith(engine))
  if (command === 'down') return underLock(down)
  if (command === 'status') return status()
  console.error(USAGE)
  return WRONG_USAGE
}

async function underLock(action: () => Promise<number>): Promise<number> {
  // Installed files must be readable by the user that PostgreSQL runs as, whatever our umask is.
  process.umask(0o022)
  mkdirSync(stackFolder, { recursive: true })
  const lock = await takeLock(stackFolder, ({ pid }) =>
    console.error(`waiting for process ${pid}, which is starting or stopping the stack ...`),
  )
  try {
    return await action()
  } catch (error) {
    console.error(describeError(error))
    return FAILED
  } finally {
    lock.release()
  }
}

async function up(): Promise<number> {
  return (await startUsual()) || status()
}

async function startUsual(): Promise<number> {
  if (!(await allRun())) {
    const obstacle = await findObstacle()
    if (obstacle === undefined) {
      await startProcesses()
    } else {
      const composeObstacle = await findComposeObstacle()
      if (composeObstacle !== undefined) {
        console.error(`The stack cannot run on this machine.
- Debian packages: ${obstacle}.
- Docker: ${composeObstacle}.`)
        return NOT_POSSIBLE
      }
      console.error(`starting containers from compose.yaml (${obstacle}) ...`)
      const stack = await chooseAddresses(readPartialStack())
      // Written before the start, so that `down` also removes a half-started stack.
      writeStack(stack)
      await startContainers(stack)
    }
  }
  return 0
}

/** Starts the usual servers and one more engine. */
async function upWith(engine: LiveEngine): Promise<number> {
  const obstacle = findEngineObstacle(engine)
  if (obstacle !== undefined) {
    console.error(`${engine} cannot run on this machine: ${obstacle}.`)
    return NOT_POSSIBLE
  }
  const code = await startUsual()
  if (code !== 0) return code
  const say = (line: string) => console.error(line)
  await installEngine(engine, say)
  const stack = readPartialStack()
  const server = liveServers[engine]
  const { isNew } = await ensureServer(server, stack[engine], (state) => {
    writeStack({ ...stack, [engine]: state })
  })
  if (isNew) say(`started ${server.title}`)
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

/** Waits for all promises, so that none is pending when the lock is released. */
async function allOrThrow(promises: Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(promises)
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  if (errors.length > 0) throw new Error([...new Set(errors.map(describeError))].join('\n'))
}

async function down(): Promise<number> {
  const stack = readPartialStack()
  const states = Object.values(stack)
  if (states.length > 0 && states.every((state) => state.pid === undefined)) {
    await stopContainers()
    console.log('containers removed; volumes kept')
  }
  await allOrThrow(
    [...servers, ...Object.values(liveServers)].map(async (server) => {
      const state = stack[server.name]
      if (state === undefined) return
      if (await stopServer(server, state)) console.log(`stopped ${server.title}`)
      delete stack[server.name]
      writeStack(stack)
    }),
  )
  return 0
}

async function status(): Promise<number> {
  const stack = readPartialStack()
  const further = Object.values(liveServers).filter(({ name }) => stack[name] !== undefined)
  const lines = await Promise.all(
    [...servers, ...further].map(async (server) => {
      const state = stack[server.name]
      const runs = state !== undefined && (await serverRuns(server, state))
      const where = state === undefined ? '' : `  ${state.url}`
      const who = runs && state.pid !== undefined ? `  (process ${state.pid})` : ''
      return {
        runs,
        server,
        text: `${server.title.padEnd(14)}${runs ? 'up' : 'down'}${where}${who}`,
      }
    }),
  )
  for (const { text } of lines) console.log(text)
  if (stack.engine !== undefined) console.log('API key of the engine: .stack/engine.key')
  return lines.every(({ runs, server }) => runs || further.includes(server)) ? 0 : FAILED
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

/** The stderr of a failed child process is more useful than our own message. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { stderr } = error as { stderr?: unknown }
  return typeof stderr === 'string' && stderr !== '' ? stderr.trim() : error.message
}
