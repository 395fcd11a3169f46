import type { ServerResponse } from 'node:http'
import { Writable } from 'node:stream'

/** A response that goes nowhere, and keeps what a client would have received. */
export class RecordedResponse extends Writable {
  /** Without one, nothing is written past the response. */
  readonly socket = null
  headersSent = false
  statusCode = 0
  text = ''
  readonly #slow: boolean

  /** A slow one makes its writer wait after every write. */
  constructor(slow: boolean) {
    super({ highWaterMark: slow ? 1 : 65_536, decodeStrings: false })
    this.#slow = slow
  }

  override _write(chunk: string | Buffer, _encoding: string, written: () => void): void {
    this.text += typeof chunk === 'string' ? chunk : chunk.toString()
    if (this.#slow) setImmediate(written)
    else written()
  }

  writeHead(status: number): this {
    if (this.headersSent) throw new Error('a second head')
    this.headersSent = true
    this.statusCode = status
    return this
  }

  flushHeaders(): void {
    // There is nothing to wait for.
  }

  setHeader(): this {
    return this
  }

  removeHeader(): void {
    // No header is kept.
  }

  asResponse(): ServerResponse {
    return this as unknown as ServerResponse
  }
}
