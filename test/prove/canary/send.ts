import { Agent, request as openRequest } from 'node:http'
import { connect } from 'node:net'
import type { Sent } from './requests.ts'

export type Outcome = {
  /** 0 if there was no answer. */
  readonly status: number
  /** Whether the answer is complete. */
  readonly whole: boolean
  readonly text: string
  /** Parameters that the answer says were ignored. */
  readonly ignored: string
}

const TIMEOUT_MS = 60_000
/** A client that is to leave does so after this time, even without an answer. */
const LEAVING_MS = 100
/** Raw requests often get no answer; then the client closes the connection. */
const RAW_TIMEOUT_MS = 300

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** Sends a request. No outcome is an error here. */
export function send(address: string, sent: Sent): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const { method, path, headers } = sent
  let status = 0
  let text = ''
  let ignored = ''
  const end = (whole: boolean) => resolve({ status, whole, text, ignored })
  try {
    const options = { method, headers, agent, timeout: TIMEOUT_MS }
    const asked = openRequest(`${address}${path}`, options, (response) => {
      status = response.statusCode ?? 0
      ignored = String(response.headers['x-ignored-parameters'] ?? '')
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
        if (sent.leaves === true) asked.destroy()
      })
      response.once('end', () => end(true))
      response.once('error', () => end(false))
      response.once('close', () => end(response.complete))
    })
    asked.once('timeout', () => asked.destroy())
    if (sent.leaves === true) setTimeout(() => asked.destroy(), LEAVING_MS)
    asked.once('error', () => end(false))
    asked.end(sent.body)
  } catch {
    // Node refuses to send some headers and paths.
    end(false)
  }
  return promise
}

/** Sends bytes over a connection of its own. */
export function sendRaw(address: string, bytes: string): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const { port, hostname } = new URL(address)
  let text = ''
  const socket = connect(Number(port), hostname, () => socket.write(bytes))
  const timeout = setTimeout(() => socket.destroy(), RAW_TIMEOUT_MS)
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  socket.on('error', () => undefined)
  socket.once('close', () => {
    clearTimeout(timeout)
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0)
    resolve({ status, whole: status > 0, text, ignored: '' })
  })
  return promise
}
