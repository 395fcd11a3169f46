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

const MODULE = ['--input-type=module', '-e'] as const

/** As `npm run prove` runs a proof. */
const RUNNER = `
  const { runNode } = await import('${new URL('servers/stack.ts', import.meta.url).href}')
  process.exitCode = await runNode(${JSON.stringify([...MODULE, PROOF])})
`

function childrenOf(pid: number | string | undefined): string[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return children === '' ? [] : children.split(' ')
}

for (const [signal, code, what, program] of [
  ['SIGINT', 130, 'a proof', PROOF],
  ['SIGTERM', 143, 'a proof', PROOF],
  ['SIGTERM', 143, 'a runner of proofs', RUNNER],
] as const)
  test(`${what} that ${signal} ends leaves no server behind`, async () => {
    const child = spawn(process.execPath, [...MODULE, program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit')
    let printed = ''
    child.stdout.on('data', (text) => (printed += String(text)))
    await waitUntil('its server', () => printed.includes('ready'), 30_000)
    const children = childrenOf(child.pid)
    const servers = [...children, ...children.flatMap(childrenOf)]
    assert.ok(servers.every((pid) => isRunning(pid)))
    child.kill(signal)
    assert.deepEqual(await ended, [code, null])
    await waitUntil('its servers to end', () => !servers.some((pid) => isRunning(pid)), 10_000)
  })
