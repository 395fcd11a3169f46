import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { startDev } from '../harness/processes/dev.ts'
import { waitUntil } from '../harness/figures/measure.ts'

const TIMEOUT_MS = 60_000

const dev = await startDev([], (child) => void hangUpEarly(child))
after(() => dev[Symbol.asyncDispose]())

/** Sends SIGHUP as soon as the process handles it, long before it serves. */
async function hangUpEarly(child: ChildProcess): Promise<void> {
  const handles = () => {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
    return (BigInt(`0x${/^SigCgt:\s+(\w+)$/m.exec(status)?.[1]}`) & 1n) === 1n
  }
  await waitUntil('a handler of SIGHUP', handles, TIMEOUT_MS, { pollMs: 1 })
  child.kill('SIGHUP')
}

type Status = { readonly pid: number; readonly reload?: { readonly count: number } }

type Finding = { readonly check: string; readonly verdict: string; readonly found: string }

async function reloads(): Promise<(number | undefined)[]> {
  const { apiHealth, workerHealth, consoleHealth } = dev.ports
  const statuses = [apiHealth, workerHealth, consoleHealth].map(async (port) => {
    const status = (await (await fetch(`http://127.0.0.1:${port}/status`)).json()) as Status
    assert.equal(status.pid, dev.child.pid)
    return status.reload?.count
  })
  return Promise.all(statuses)
}

async function models(): Promise<string[]> {
  const [, key] = /Authorization: Bearer (\w+)/.exec(dev.output()) ?? []
  const response = await fetch(`http://127.0.0.1:${dev.ports.api}/compat/v1/models`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const { data } = (await response.json()) as { readonly data: { readonly id: string }[] }
  return data.map(({ id }) => id)
}

test('a SIGHUP while headrace dev starts reloads its parts and does not end it', async () => {
  const all = async () => (await reloads()).every((count) => count === 1)
  await waitUntil('one reload of each part', all, TIMEOUT_MS)
})

test('headrace reload applies an edited file to headrace dev with one signal', async () => {
  const counts = await reloads()
  assert.deepEqual(await models(), ['headrace/pebble', 'headrace/pebble-strict'])
  const text = readFileSync(dev.file, 'utf8')
  writeFileSync(dev.file, text.replace('id: headrace/pebble-strict', 'id: headrace/renamed'))
  const { code, stdout, stderr } = await dev.run('reload', '--json')
  const rows = JSON.parse(stdout) as { readonly process: string; readonly result: string }[]
  assert.deepEqual(
    rows.map(({ process, result }) => [process, result]),
    ['api', 'worker', 'console'].map((kind) => [kind, 'applied']),
  )
  assert.equal(code, 0, stderr)
  assert.deepEqual(await models(), ['headrace/pebble', 'headrace/renamed'])
  assert.deepEqual(
    await reloads(),
    counts.map((count = 0) => count + 1),
  )
})

test('headrace doctor accepts the demo and notes what its servers lack', async () => {
  const { code, stdout } = await dev.run('doctor', '--json', '--timeout', '30')
  const { checks } = JSON.parse(stdout) as { readonly checks: Finding[] }
  const failed = checks.filter(({ verdict }) => verdict === 'failed')
  assert.deepEqual([code, failed], [0, []])
  const durability = checks.find(({ check }) => check === 'durability')
  assert.equal(durability?.verdict, 'note')
  assert.match(durability.found, /^fsync.* off \(development stack\)$/)
  const settings = checks.filter(({ check }) => check === 'settings')
  assert.deepEqual(
    settings.map(({ verdict, found }) => [verdict, found]),
    Array.from({ length: 3 }, () => ['ok', 'as here']),
  )
})

test('the same servers without the stack beside them are a failure', async () => {
  const args = ['doctor', '--json', '--timeout', '30', '--only', 'postgresql']
  const { code, stdout } = await dev.runElsewhere(...args)
  const { checks } = JSON.parse(stdout) as { readonly checks: Finding[] }
  assert.equal(code, 1)
  assert.equal(checks.find(({ check }) => check === 'durability')?.verdict, 'failed')
})

test('headrace dev logs a line for people per request, without colour in a pipe', async () => {
  await models()
  const isLogged = () => /^[\d:]{8} api {5}GET \/models +200 +\d+ ms {2}demo$/m.test(dev.output())
  await waitUntil('the line of the request', isLogged, TIMEOUT_MS, { seen: () => dev.output() })
  assert.ok(!dev.output().includes('\u001B['))
  assert.doesNotMatch(dev.output(), /^\{"level"/m)
  const link = `^http://localhost:${dev.ports.console}/sign-in#token=\\S+$`
  assert.match(dev.output(), new RegExp(link, 'm'))
})

test('commands reach the engine of the stack, wherever it is', async () => {
  const { stdout } = await dev.run('engine', 'probe', '--json')
  const rows = JSON.parse(stdout) as { readonly capability: string; readonly value: boolean }[]
  const has = (name: string) => rows.find(({ capability }) => capability === name)?.value
  assert.deepEqual([has('reachable'), has('text')], [true, true], stdout)
})
