import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The "provider" of an attacker: it sends people on to another one, and keeps codes it is sent. */
export type HostileProvider = AsyncDisposable & {
  readonly issuer: string
  /** Where people are sent, with the state of their own sign-in. */
  target: string
  /** Codes that the console sent to the token endpoint. */
  readonly codes: string[]
}

export async function startHostileProvider(
  metadata: Readonly<Record<string, unknown>> = {},
): Promise<HostileProvider> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`
  const hostile: HostileProvider = {
    issuer,
    target: '',
    codes: [],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  const discovery = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    ...metadata,
  }
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '', issuer)
    if (url.pathname === '/authorize') sendOn(hostile.target, url, response)
    else if (url.pathname === '/token') void keepCode(hostile.codes, request, response)
    else
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(url.pathname === '/jwks' ? { keys: [] } : discovery))
  })
  return hostile
}

function sendOn(target: string, { searchParams }: URL, response: ServerResponse): void {
  const to = new URL(target)
  to.searchParams.set('state', searchParams.get('state') ?? '')
  response.writeHead(302, { location: to.href }).end()
}

async function keepCode(
  codes: string[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let body = ''
  for await (const chunk of request as AsyncIterable<Buffer>) body += chunk.toString()
  const code = new URLSearchParams(body).get('code')
  if (code !== null) codes.push(code)
  response.writeHead(400, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error: 'invalid_grant' }))
}
