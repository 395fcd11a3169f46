import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { waitUntil } from './figures/measure.ts'

const PROOF = `
  const { runProof } = await import('${new URL('proof.ts', import.meta.url).href}')
  const { startValkey } = await import('${new URL('servers/valkey.ts', import.meta.url).href}')
  await runProof('held', async () => {
    await using valkey = await startValkey()
    console.log('ready')
    await new Promise(() => setInterval(() => {}, 1000))
  })
`

/** A killed process whose parent is gone may wait as a zombie to be reaped. */
function isRunning(pid: string): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  test(`a proof that ${signal} ends leaves no server behind`, async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', PROOF], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit')
    let printed = ''
    child.stdout.on('data', (text) => (printed += String(text)))
    await waitUntil('its server', () => printed.includes('ready'), 30_000)
    const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
    const servers = children.trim().split(' ')
    assert.ok(servers.every((pid) => isRunning(pid)))
    child.kill(signal)
    assert.deepEqual(await ended, [code, null])
    await waitUntil('its servers to end', () => !servers.some((pid) => isRunning(pid)), 10_000)
  })
