import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { UnreadableSource } from './endpoint.ts'

export type ApiServer = {
  readonly url: string
  readonly token: string | undefined
  /** The certificate of its authority, in PEM. */
  readonly ca: string | undefined
}

const ANSWER_TIMEOUT_MS = 5_000
/** The server ends a watch itself; if it did not, the connection is dead. */
const SPARE_MS = 5_000
const BODY_BYTES_MAX = 16_777_216
/** An EndpointSlice has at most 1,000 endpoints. */
const LINE_LENGTH_MAX = 4_194_304

/** The body of a GET that is answered with 200. */
export async function readBody(
  server: ApiServer,
  path: string,
  signal: AbortSignal,
): Promise<string> {
  const response = await get(server, path, ANSWER_TIMEOUT_MS, signal)
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > BODY_BYTES_MAX) throw new UnreadableSource('the answer is larger than 16 MiB')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** The lines of an answer as they arrive, for at most the given time. */
export async function* openLines(
  server: ApiServer,
  path: string,
  lastingMs: number,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  const response = await get(server, path, lastingMs + SPARE_MS, signal)
  response.setEncoding('utf8')
  let rest = ''
  for await (const text of response as AsyncIterable<string>) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > LINE_LENGTH_MAX) throw new UnreadableSource('an event is larger than 4 MiB')
    yield* lines.filter((line) => line !== '')
  }
}

/** The answer must begin soon, and end within the given time. */
async function get(
  { url, token, ca }: ApiServer,
  path: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const request = url.startsWith('https:') ? requestHttps : requestHttp
  const sent = request(`${url}${path}`, {
    agent: false,
    ...(ca === undefined ? {} : { ca }),
    headers: {
      accept: 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  })
  const timer = setTimeout(() => sent.destroy(timedOut()), ANSWER_TIMEOUT_MS)
  sent.once('response', (response) => {
    clearTimeout(timer)
    if (response.statusCode === 200) return resolve(response)
    response.resume()
    reject(new UnreadableSource(`the API server answered ${response.statusCode}`))
  })
  sent.once('error', (error) => {
    clearTimeout(timer)
    reject(error)
  })
  sent.end()
  return promise
}

function timedOut(): Error {
  return new UnreadableSource('the API server did not answer')
}
