import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { after, test, type TestContext } from 'node:test'
import { COMPILE_CACHE } from '../../test/harness/processes/compile-cache.ts'
import { startEnvironment } from '../../test/harness/environment.ts'
import { waitUntil } from '../../test/harness/figures/measure.ts'
import { requireStack, stackEnvironment } from '../../test/harness/processes/service.ts'
import { chooseFreePort } from '../../stack/ports.ts'
import { healthPortOf } from './health-port.ts'

const MAIN = new URL('../main.ts', import.meta.url).pathname
const PORT_FIRST = 19_000
const PORTS = 800
const TIMEOUT_MS = 60_000

type Running = {
  readonly child: ChildProcess
  readonly healthUrls: readonly string[]
  /** On standard error. */
  printed(): string
}

const engines = [{ name: 'one', url: 'http://127.0.0.1:1', slots: 3 }]
const environment = await startEnvironment({ engines })

after(() => environment[Symbol.asyncDispose]())

async function start(t: TestContext, count: string, healthPort?: number): Promise<Running> {
  const port = await chooseFreePort(PORT_FIRST + Math.floor(Math.random() * PORTS))
  const health = healthPort ?? (await chooseFreePort(port + 1))
  const child = spawn(process.execPath, [MAIN, 'api', '--processes', count], {
    env: {
      ...stackEnvironment(requireStack(), environment.databaseUrl),
      ...COMPILE_CACHE,
      HEADRACE_CONFIG: environment.file,
      HEADRACE_API_PORT: `${port}`,
      HEADRACE_API_HEALTH_PORT: `${health}`,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let printed = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk))
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  })
  const healthUrls = [0, 1].map((index) => `http://127.0.0.1:${healthPortOf(health, index)}`)
  return { child, healthUrls, printed: () => printed }
}

async function read(url: string, path: string): Promise<unknown> {
  try {
    return await (await fetch(`${url}${path}`)).json()
  } catch {
    return undefined
  }
}

async function serving({ healthUrls }: Running): Promise<void> {
  const all = async () =>
    (await Promise.all(healthUrls.map((url) => read(url, '/status')))).every(Boolean)
  await waitUntil('both processes to serve', all, TIMEOUT_MS)
}

function childrenOf({ pid }: ChildProcess): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
}

type Status = { readonly configuration: string; readonly started_at: string }

test('processes are restarted and stop together', async (t) => {
  const running = await start(t, '2')
  await serving(running)
  const readStatus = async (at: number) =>
    (await read(running.healthUrls[at] ?? '', '/status')) as Status | undefined
  const [first, second] = [await readStatus(0), await readStatus(1)]
  assert.equal(first?.configuration, second?.configuration)
  process.kill(childrenOf(running.child)[1] ?? 0, 'SIGKILL')
  const isNew = async () => {
    const now = await readStatus(1)
    return now !== undefined && now.started_at !== second?.started_at
  }
  await waitUntil('the killed process to be started again', isNew, TIMEOUT_MS)
  assert.equal((await readStatus(0))?.started_at, first?.started_at)
  running.child.kill('SIGTERM')
  assert.deepEqual(await once(running.child, 'exit'), [0, null])
  assert.equal(await readStatus(0), undefined)
})

test('the processes end when the command is killed', async (t) => {
  const running = await start(t, '2')
  await serving(running)
  const children = childrenOf(running.child)
  assert.equal(children.length, 2)
  running.child.kill('SIGKILL')
  const gone = async () =>
    (await Promise.all(running.healthUrls.map((url) => read(url, '/status')))).every(
      (status) => status === undefined,
    )
  await waitUntil('both processes to end', gone, TIMEOUT_MS)
})

test('a process whose port is in use is started again until the port is free', async (t) => {
  const port = await chooseFreePort(PORT_FIRST + PORTS)
  const blocker = createServer().listen(healthPortOf(port, 1), '127.0.0.1')
  t.after(() => void blocker.close())
  const running = await start(t, '2', port)
  const said = /^headrace: cannot listen on \S+: the port is in use/m
  await waitUntil('the message', () => said.test(running.printed()), TIMEOUT_MS)
  assert.doesNotMatch(running.printed(), /Invalid configuration/)
  blocker.close()
  await serving(running)
})

test('78: an engine that is for one process is refused with several', async (t) => {
  const file = readFileSync(environment.file, 'utf8')
  writeFileSync(environment.file, file.replace('"one",', '"one","prompt_cache":"exclusive",'))
  const running = await start(t, '2')
  assert.deepEqual(await once(running.child, 'exit'), [78, null])
  assert.match(running.printed(), /engine one is for one api process/)
  writeFileSync(environment.file, file)
})

test('78: a process that finds its file invalid ends all of them', async (t) => {
  const running = await start(t, '2')
  await serving(running)
  writeFileSync(environment.file, 'engines: 1')
  process.kill(childrenOf(running.child)[1] ?? 0, 'SIGKILL')
  assert.deepEqual(await once(running.child, 'exit'), [78, null])
})
