import { connect, isIP, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'

const CONNECT_TIMEOUT_MS = 3_000

/**
 * Shared by all sockets, since data is consumed before the next read. Node would otherwise allocate
 * a buffer for every read.
 */
const readBuffer = Buffer.allocUnsafeSlow(65_536)

/** The data is the first bytes of the buffer. Returns false to pause reading. */
type OnBytes = (length: number, bytes: Buffer) => boolean

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
        onread: { buffer: readBuffer, callback: onBytes },
      })
  if (isSecure)
    socket.on('data', (bytes: Buffer) => void (onBytes(bytes.length, bytes) || socket.pause()))
  // Flowing from the start, so that resuming after a pause is a single system call.
  else socket.resume()
  socket.setNoDelay(true)
  socket.setKeepAlive(true)
  limitConnecting(socket, isSecure ? 'secureConnect' : 'connect')
  return socket
}

/** A function of its own, so that nothing of it is kept after the connection is made. */
function limitConnecting(socket: Socket, connected: 'connect' | 'secureConnect'): void {
  const timeout = setTimeout(() => {
    socket.destroy(Object.assign(new Error('connect timeout'), { code: 'ETIMEDOUT' }))
  }, CONNECT_TIMEOUT_MS)
  const end = () => {
    clearTimeout(timeout)
    socket.removeListener(connected, end)
    socket.removeListener('close', end)
  }
  socket.on(connected, end)
  socket.on('close', end)
}
