import { connect, isIP, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'

const CONNECT_TIMEOUT_MS = 3_000

/**
 * Shared by all sockets, since data is consumed before the next read. Node would otherwise allocate
 * a buffer for every read.
 */
const readBuffer = Buffer.allocUnsafeSlow(65_536)

/** Returns false to pause reading. */
type OnBytes = (bytes: Buffer, end: number) => boolean

export function openSocket(url: URL, onBytes: OnBytes): Socket {
  const isSecure = url.protocol === 'https:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = Number(url.port) || (isSecure ? 443 : 80)
  const socket = isSecure
    ? connectSecurely({
        host,
        port,
        // SNI does not allow IP addresses.
        ...(isIP(host) === 0 ? { servername: host } : {}),
        ALPNProtocols: ['http/1.1'],
      })
    : connect({
        host,
        port,
        onread: { buffer: readBuffer, callback: (length) => onBytes(readBuffer, length) },
      })
  if (isSecure)
    socket.on('data', (bytes: Buffer) => void (onBytes(bytes, bytes.length) || socket.pause()))
  // Flowing from the start, so that resuming after a pause is a single system call.
  else socket.resume()
  socket.setNoDelay(true)
  socket.setKeepAlive(true)
  const timeout = setTimeout(() => {
    socket.destroy(Object.assign(new Error('connect timeout'), { code: 'ETIMEDOUT' }))
  }, CONNECT_TIMEOUT_MS)
  socket.once(isSecure ? 'secureConnect' : 'connect', () => clearTimeout(timeout))
  socket.once('close', () => clearTimeout(timeout))
  return socket
}
