import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { checkIssuerUrl, createGuardedFetch, UrlRefused } from './guard-url.ts'

const GET = { method: 'GET', headers: {}, body: undefined, redirect: 'manual' } as const
const PRIVATE = ['127.0.0.1', 'localhost', 'idp.invalid']

async function listen(answer: RequestListener) {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    [Symbol.dispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

test('an issuer is an https URL without credentials, query and fragment', () => {
  const guard = { privateHosts: [] }
  assert.equal(checkIssuerUrl('https://idp.example/realms/one', guard).hostname, 'idp.example')
  const faulty = [
    '',
    'idp.example',
    'http://idp.example',
    'ftp://idp.example',
    'file:///etc/passwd',
  ]
  for (const text of [...faulty, 'https://a@b', 'https://:a@b', 'https://a/?b', 'https://a/#b'])
    assert.throws(() => checkIssuerUrl(text, guard), UrlRefused, text)
  assert.equal(checkIssuerUrl('http://localhost:1', { privateHosts: PRIVATE }).port, '1')
})

test('a private address is refused in every spelling, before a connection', async () => {
  let calls = 0
  using server = await listen((_request, response) => {
    calls += 1
    response.end('{}')
  })
  const fetchGuarded = createGuardedFetch({ privateHosts: [] })
  const literal = '127.0.0.1 127.1 2130706433 0x7f000001 017700000001 [::1] [::ffff:127.0.0.1] [::]'
  for (const host of `${literal} 10.0.0.1 169.254.169.254 localhost`.split(' '))
    await assert.rejects(fetchGuarded(`https://${host}:${server.port}/`, GET), UrlRefused, host)
  await assert.rejects(fetchGuarded(`http://1.1.1.1:${server.port}/`, GET), UrlRefused)
  assert.equal(calls, 0)
})

test('a host that the operator names opens no other one of its network', async () => {
  using server = await listen((_request, response) => response.end('{}'))
  const fetchGuarded = createGuardedFetch({ privateHosts: ['LocalHost'] })
  assert.equal((await fetchGuarded(`http://localhost:${server.port}/`, GET)).status, 200)
  for (const address of [`http://127.0.0.1:${server.port}/`, 'https://10.0.0.1/'])
    await assert.rejects(fetchGuarded(address, GET), UrlRefused, address)
})

test('one private address among those of a name refuses the name', async () => {
  const resolve = () => Promise.resolve(['1.1.1.1', '10.0.0.1'])
  const fetchGuarded = createGuardedFetch({ privateHosts: [], resolve })
  await assert.rejects(fetchGuarded('https://idp.example/', GET), /private network/)
})

test('the connection goes to the address that was checked: a name is resolved once', async () => {
  using server = await listen((request, response) => response.end(request.headers.host))
  let asked = 0
  const resolve = async () => {
    asked += 1
    return asked === 1 ? ['127.0.0.1'] : ['192.0.2.1']
  }
  const fetchGuarded = createGuardedFetch({ privateHosts: PRIVATE, resolve })
  const answer = await fetchGuarded(`http://idp.invalid:${server.port}/`, GET)
  assert.equal(await answer.text(), `idp.invalid:${server.port}`)
  assert.equal(asked, 1)
})

test('a redirect is not followed', async () => {
  let calls = 0
  using server = await listen((_request, response) => {
    calls += 1
    response.writeHead(302, { location: '/elsewhere' }).end()
  })
  const fetchGuarded = createGuardedFetch({ privateHosts: PRIVATE })
  const answer = await fetchGuarded(`http://127.0.0.1:${server.port}/`, GET)
  assert.equal(answer.status, 302)
  assert.equal(calls, 1)
})

test('an answer above 256 KiB is refused, one of that size is not', async () => {
  using server = await listen((request, response) =>
    response.end('x'.repeat(Number(request.url?.slice(1)))),
  )
  const fetchGuarded = createGuardedFetch({ privateHosts: PRIVATE })
  const root = `http://127.0.0.1:${server.port}`
  assert.equal((await (await fetchGuarded(`${root}/262144`, GET)).text()).length, 262_144)
  await assert.rejects(fetchGuarded(`${root}/262145`, GET), UrlRefused)
})

test('an answer that does not end is given up, as is a name that does not resolve', async () => {
  using server = await listen((_request, response) => void response.write('{'))
  const guard = { privateHosts: PRIVATE, timeoutMs: 100 }
  await assert.rejects(createGuardedFetch(guard)(`http://127.0.0.1:${server.port}/`, GET))
  const resolve = () => new Promise<string[]>(() => {})
  const held = createGuardedFetch({ ...guard, resolve })('https://idp.example/', GET)
  await assert.rejects(held, { name: 'TimeoutError' })
})
