import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { parse } from 'yaml'
import { takeLock } from './lock.ts'
import { chooseFreePort } from './ports.ts'
import { identifyProcess, isRunning, waitForEnd } from './process-identity.ts'
import { ensureServer } from './run-server.ts'
import { servers } from './servers.ts'
import { projectFolder } from './state.ts'

const SOON_MS = 5000

test('chooseFreePort skips a port that is in use', async (t) => {
  const first = await listen(t)
  const chosen = await chooseFreePort(first)
  assert.ok(chosen > first)
  assert.equal(await chooseFreePort(chosen), chosen)
})

test('chooseFreePort never picks an ephemeral port', async () => {
  await assert.rejects(chooseFreePort(32_768), /no free port/)
})

test('a process is identified by its id and start time', async () => {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' })
  const identity = identifyProcess(child.pid ?? 0)
  assert.ok(identity)
  assert.ok(isRunning(identity))
  // A reused id: same id, different start time.
  assert.equal(isRunning({ pid: identity.pid, started: `${identity.started}0` }), false)

  assert.equal(await waitForEnd(identity, 0), false)
  child.kill('SIGKILL')
  assert.equal(await waitForEnd(identity, SOON_MS), true)
  assert.equal(isRunning(identity), false)
})

test('a program name may contain spaces and parentheses', async () => {
  const title = 'a) Z 1 (b'
  const child = spawn(process.execPath, [
    '-e',
    `process.title = ${JSON.stringify(title)}; console.log('named'); setInterval(() => {}, 1000)`,
  ])
  try {
    await once(child.stdout, 'data')
    const { pid = 0 } = child
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    assert.ok(stat.includes(title))
    const identity = identifyProcess(pid)
    assert.equal(identity?.started.split(':')[1], stat.split(') ').at(-1)?.split(' ')[19])
  } finally {
    child.kill('SIGKILL')
  }
})

test('a server that starts before another has bound its port gets one of its own', async (t) => {
  const folder = temporaryFolder(t)
  const serve = `require('http').createServer((_, answer) => answer.end()).listen(process.argv[1])`
  const slow = {
    ...servers.find(({ name }) => name === 'engine')!,
    name: 'slow' as 'engine',
    defaultPort: 25_000,
    prepare: (port: number) => {
      const args = ['-e', `setTimeout(() => ${serve}, 300)`, `${port}`]
      return { program: { command: process.execPath, args, env: {} }, folder }
    },
  }
  const pids: number[] = []
  t.after(() => pids.forEach((pid) => spawnSync('kill', ['-9', `${pid}`])))
  const launched = Promise.withResolvers<void>()
  const start = () =>
    ensureServer(slow, undefined, ({ pid = 0 }) => {
      pids.push(pid)
      launched.resolve()
    })
  const first = start()
  // Its port is chosen, and not bound yet.
  await launched.promise
  assert.notEqual((await start()).url, (await first).url)
})

test('the lock has one holder at a time', async (t) => {
  const folder = temporaryFolder(t)
  let holders = 0
  const work = Array.from({ length: 8 }, async () => {
    const lock = await takeLock(folder)
    holders++
    assert.equal(holders, 1)
    await new Promise(setImmediate)
    holders--
    lock.release()
  })
  await Promise.all(work)
  assert.equal(readdirSync(folder).length, 1)
})

test('waiting for a lock reports the process that holds it', async (t) => {
  const folder = temporaryFolder(t)
  const lock = await takeLock(folder)
  const waited = Promise.withResolvers<number>()
  const second = takeLock(folder, ({ pid }) => waited.resolve(pid))
  assert.equal(await waited.promise, process.pid)
  lock.release()
  const taken = await second
  taken.release()
})

test('a lock whose holder has died is taken over', async (t) => {
  const folder = temporaryFolder(t)
  const stale = { ...identifyProcess(process.pid), started: 'an earlier process' }
  writeFileSync(join(folder, 'lock.7'), JSON.stringify(stale))
  const lock = await takeLock(folder, () => assert.fail('there is no lock to wait for'))
  assert.deepEqual(readdirSync(folder), ['lock.8'])
  assert.deepEqual(
    JSON.parse(readFileSync(join(folder, 'lock.8'), 'utf8')),
    identifyProcess(process.pid),
  )
  lock.release()
})

test('compose.yaml publishes the same ports as the processes, on loopback only', () => {
  const text = readFileSync(join(projectFolder, 'compose.yaml'), 'utf8')
  const { services } = parse(text) as { services: Record<string, { ports: string[] }> }
  const published = Object.entries(services).map(([name, { ports }]) => [name, ports.map(address)])
  const wanted = servers.map(({ name, defaultPort }) => [name, [`127.0.0.1:${defaultPort}`]])
  assert.deepEqual(published, wanted)
})

/** `127.0.0.1:${VARIABLE:-15432}:5432` → `127.0.0.1:15432` */
function address(port: string): string {
  return port.replace(/\$\{\w+:-(\d+)\}:\d+$/, '$1')
}

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'headrace-stack-test-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Listens on a loopback port below the ephemeral range. */
async function listen(t: TestContext): Promise<number> {
  const server: Server = createServer()
  t.after(() => server.close())
  server.listen(await chooseFreePort(20_000), '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
