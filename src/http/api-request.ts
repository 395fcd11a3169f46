import { IncomingMessage } from 'node:http'
import { BodyBlocks } from './body-blocks.ts'
import { ClientGone } from './call.ts'

/** How much of a body is kept before anyone has asked for it, besides the rest of one read. */
const HELD_BYTES_MAX = 16 * 1024

/** How much of a body is read and discarded after an early response. */
const DISCARDED_BYTES_MAX = 16 * 1024 * 1024

/** Returns the error that ends the reading of a body, if it must not grow to this size. */
export type CheckSize = (bytes: number, capacity: number) => Error | undefined

type Reading = {
  readonly check: CheckSize
  resolve(body: Buffer): void
  reject(error: Error): void
}

/**
 * A request that copies its body as it arrives. Node's own queue keeps the chunks as they are, up
 * to 64 KiB of them, from clients that are not even identified: in chunks of one byte that takes
 * 16 MB for each connection. So nothing is ever queued there.
 */
export class ApiRequest extends IncomingMessage {
  readonly #blocks = new BodyBlocks()
  #reading: Reading | undefined
  #discarded: number | undefined

  /** Called by Node's parser with every chunk, and with null at the end. False stops it. */
  override push(chunk: Buffer | null): boolean {
    if (chunk === null) {
      this.#reading?.resolve(this.#blocks.take())
      this.#reading = undefined
      super.push(null)
      this.resume()
      return false
    }
    if (this.#discarded !== undefined) return this.#discard(chunk)
    const { bytes } = this.#blocks
    const size = bytes + chunk.length
    const error = this.#reading?.check(size, this.#blocks.capacityWith(chunk.length))
    if (error !== undefined) return this.#fail(error)
    this.#blocks.append(chunk)
    return this.#reading !== undefined || size <= HELD_BYTES_MAX
  }

  /** The whole body. `check` is called whenever it grows. */
  readBody(check: CheckSize): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
    const error = check(this.#blocks.bytes, this.#blocks.capacity)
    if (error !== undefined) reject(error)
    else if (this.complete) resolve(this.#blocks.take())
    else {
      this.#reading = { check, resolve, reject }
      this.on('error', (cause) => {
        this.#fail(new ClientGone('the body was cut off', { cause }))
      })
      this._read(0)
    }
    return promise
  }

  /**
   * Reads the rest and keeps nothing. Closing the connection while the client is still sending
   * resets it, and the client may never see the response.
   */
  discardBody(): void {
    this.#blocks.free()
    if (this.complete || this.destroyed || this.#discarded !== undefined) return
    this.#discarded = 0
    this._read(0)
  }

  #fail(error: Error): boolean {
    this.#reading?.reject(error)
    this.#reading = undefined
    this.discardBody()
    return true
  }

  #discard(chunk: Buffer): boolean {
    this.#discarded = (this.#discarded ?? 0) + chunk.length
    if (this.#discarded > DISCARDED_BYTES_MAX) this.destroy()
    return true
  }
}
