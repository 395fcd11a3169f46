import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { ask, newAddress, PUBLIC_URL, startConsole } from '../../harness/processes/console.ts'
import {
  openPersonWithPassword,
  PASSWORD,
  signIn,
  STRANGER,
} from '../../harness/clients/sign-in.ts'

const server = await startConsole()
after(() => server[Symbol.asyncDispose]())

/** Sends a part of a body and then nothing more. */
async function stall(path: string, { announced, sent, from }: Stalled): Promise<Socket> {
  const { hostname, port, pathname } = new URL(server.root)
  const socket = connect({ host: hostname, port: Number(port), localAddress: from })
  socket.on('error', () => {})
  await once(socket, 'connect')
  const head = [
    `POST ${pathname}${path} HTTP/1.1`,
    'host: x',
    `origin: ${PUBLIC_URL}`,
    'content-type: application/json',
    `content-length: ${announced}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${'{"email":"'.padEnd(sent, 'a')}`)
  return socket
}

type Stalled = { readonly announced: number; readonly sent: number; readonly from: string }

test('500 stalled requests of a network keep nobody from signing in, not even there', async (t) => {
  const { email } = await openPersonWithPassword(server)
  const from = newAddress()
  const sockets: Socket[] = []
  t.after(() => sockets.forEach((socket) => void socket.destroy()))
  const fill = async (count: number, announced: number, sent: number) => {
    for (let number = 0; number < count; number += 1)
      sockets.push(await stall('/sessions', { announced, sent, from }))
  }
  await fill(149, 65_536, 65_000)
  for (const sent of [16_000, 4_000, 900]) await fill(60, 65_536, sent)
  await fill(500, 4_096, 4_000)
  for (const address of [newAddress(), from]) {
    const answer = await signIn(server, email, PASSWORD, STRANGER, address)
    assert.equal(answer.status, 201, answer.text)
    const post = (path: string) =>
      ask(server.root, 'POST', path, { as: STRANGER, body: { email }, from: address })
    assert.equal((await post('/password-resets')).status, 202)
    assert.equal((await post('/sso/lookup')).status, 200)
  }
})

test('408: a stranger has 5 seconds to send a body, then the connection is closed', async () => {
  const begunMs = performance.now()
  const from = newAddress()
  const socket = await stall('/sessions', { announced: 100, sent: 50, from })
  let text = ''
  socket.on('data', (bytes) => (text += String(bytes)))
  await once(socket, 'close')
  assert.match(text, /^HTTP\/1\.1 408 .*"request_timeout"/s)
  const tookMs = performance.now() - begunMs
  assert.ok(tookMs > 4_500 && tookMs < 40_000, `${tookMs} ms`)
})

test('413: nobody without a session or key sends more than 4 KiB', async () => {
  const post = (as = STRANGER) =>
    ask(server.root, 'POST', '/sign-ups', { as, body: { email: 'a'.repeat(4_096) } })
  assert.equal((await post()).body.error.code, 'request_too_large')
  const { as } = await server.openPerson()
  assert.equal((await post(as)).body.error.code, 'request_too_large')
})
