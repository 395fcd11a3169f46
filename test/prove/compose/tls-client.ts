import { request } from 'node:https'

/** An answer over TLS, read to its end. */
export type TlsAnswer = { readonly status: number; readonly text: string }

export type TlsRequest = {
  readonly path: string
  /** The certificate authority that must have signed the server's certificate. */
  readonly ca: string
  readonly key?: string
  readonly body?: object
  /** Receives the text as it arrives. */
  readonly onText?: (part: string) => void
}

/** Asks `https://localhost` and rejects an answer that is cut off. */
export async function askTls({ path, ca, key, body, onText }: TlsRequest): Promise<TlsAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<TlsAnswer>()
  const sent = request(`https://localhost${path}`, {
    ca,
    // A connection of its own, so that a stopped server is never asked on an old one.
    agent: false,
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
  })
  sent.on('response', (response) => {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', (part: string) => {
      text += part
      onText?.(part)
    })
    response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    response.on('error', reject)
  })
  sent.on('error', reject)
  sent.end(body === undefined ? undefined : JSON.stringify(body))
  return promise
}
