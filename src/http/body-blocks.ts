import { freeBuffer } from '../lib/free-buffer.ts'

const BLOCK_BYTES_MIN = 1_024
const BLOCK_BYTES_MAX = 65_536

/**
 * The bytes of a body, copied into blocks as they arrive. Node creates a Buffer for every chunk,
 * and a client may send chunks of one byte: kept as they are, they take hundreds of bytes each.
 * The memory is never more than twice the bytes, plus the smallest block.
 */
export class BodyBlocks {
  readonly #blocks: Buffer[] = []
  /** Bytes left in the last block. */
  #left = 0
  bytes = 0
  /** Bytes of memory. */
  capacity = 0

  /** The capacity after `length` more bytes. */
  capacityWith(length: number): number {
    const rest = length - this.#left
    return rest <= 0 ? this.capacity : this.capacity + this.#nextBlock(rest)
  }

  append(chunk: Buffer): void {
    const fitting = Math.min(chunk.length, this.#left)
    if (fitting > 0) this.#fill(chunk, 0, fitting)
    if (fitting === chunk.length) return
    const block = Buffer.allocUnsafeSlow(this.#nextBlock(chunk.length - fitting))
    this.#blocks.push(block)
    this.capacity += block.length
    this.#left = block.length
    this.#fill(chunk, fitting, chunk.length)
  }

  /** The whole body in one buffer. Frees the blocks. */
  take(): Buffer {
    const [only] = this.#blocks
    if (only !== undefined && this.#blocks.length === 1) {
      this.#blocks.length = 0
      return only.subarray(0, this.bytes)
    }
    const whole = Buffer.allocUnsafeSlow(this.bytes)
    let at = 0
    for (const block of this.#blocks) at += block.copy(whole, at)
    this.free()
    return whole
  }

  free(): void {
    for (const block of this.#blocks) freeBuffer(block)
    this.#blocks.length = 0
    this.#left = 0
    this.capacity = 0
  }

  /** Blocks grow with the body. */
  #nextBlock(rest: number): number {
    return Math.max(rest, Math.min(Math.max(this.capacity, BLOCK_BYTES_MIN), BLOCK_BYTES_MAX))
  }

  #fill(chunk: Buffer, start: number, end: number): void {
    const block = this.#blocks.at(-1)
    if (block === undefined) return
    chunk.copy(block, block.length - this.#left, start, end)
    this.#left -= end - start
    this.bytes += end - start
  }
}
