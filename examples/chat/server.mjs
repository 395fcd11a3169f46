// A chat page whose API key stays on this server. Needs Node 18 or newer and no packages.
//
//   export HEADRACE_BASE_URL=https://HOST/compat/v1 HEADRACE_API_KEY=headrace_sk_… HEADRACE_MODEL=…
//   node chat/server.mjs    # then open http://127.0.0.1:3000
//
// Whoever reaches the page uses the key. The server therefore listens on this machine only; put
// your own sign-in in front of it before others use it.
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

const { HEADRACE_BASE_URL, HEADRACE_API_KEY, HEADRACE_MODEL, PORT = '3000' } = process.env
const BODY_BYTES_MAX = 1_000_000
const page = await readFile(new URL('index.html', import.meta.url))

/** The messages of the page. Model and key are the server's, so the page cannot choose them. */
async function readMessages(request) {
  const chunks = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > BODY_BYTES_MAX) throw new Error('The conversation is too long.')
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString()).messages
}

/** Passes the answer on as it arrives. A page that stops or closes ends the generation too. */
async function answer(request, response) {
  const stop = new AbortController()
  response.on('close', () => stop.abort())
  const upstream = await fetch(`${HEADRACE_BASE_URL}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${HEADRACE_API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: HEADRACE_MODEL,
      messages: await readMessages(request),
      stream: true,
    }),
    signal: stop.signal,
  })
  response.writeHead(upstream.status, {
    'content-type': upstream.headers.get('content-type') ?? 'application/json',
    'x-request-id': upstream.headers.get('x-request-id') ?? '',
  })
  await pipeline(Readable.fromWeb(upstream.body), response)
}

/** Pages of other sites may not use the key: a browser sends their requests with their origin. */
function isOwn({ headers: { origin, host } }) {
  return origin === `http://${host}` && /^(127\.0\.0\.1|localhost):\d+$/.test(host)
}

const server = createServer(async (request, response) => {
  if (request.method === 'GET' && request.url === '/')
    return response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
  if (request.method !== 'POST' || request.url !== '/chat' || !isOwn(request))
    return response.writeHead(404).end()
  try {
    await answer(request, response)
  } catch (error) {
    // The page is gone, or a part of the answer was sent already: the page sees that it is cut off.
    if (response.headersSent || response.destroyed) return response.destroy()
    response
      .writeHead(502, { 'content-type': 'application/json' })
      .end(JSON.stringify({ error: { message: `The service cannot be used: ${error.message}` } }))
  }
})
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`)
})
