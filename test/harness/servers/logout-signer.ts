import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose'

export const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/** A provider that signs whatever it is told to. */
export async function startLogoutSigner() {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`
  const seen = { keys: 0 }
  server.on('request', (request, response) => {
    const isKeys = request.url === '/jwks'
    seen.keys += isKeys ? 1 : 0
    const answer = isKeys
      ? { keys: [jwk] }
      : {
          issuer,
          jwks_uri: `${issuer}/jwks`,
          authorization_endpoint: `${issuer}/a`,
          token_endpoint: `${issuer}/t`,
        }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  const sign = (claims: JWTPayload, key = privateKey, header: object = {}) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one', ...header }).sign(key)
  return {
    issuer,
    seen,
    sign,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
