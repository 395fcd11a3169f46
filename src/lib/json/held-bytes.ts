/**
 * Bytes that are freed explicitly, while nobody writes them to a socket. The garbage collector
 * would run often to find them: it counts all memory outside of its heap as pressure.
 */
export class HeldBytes {
  readonly #bytes: Buffer
  #writers = 0
  #isReleased = false

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** The bytes stay until the returned function is called. */
  hold(): () => void {
    this.#writers += 1
    return () => {
      this.#writers -= 1
      this.#freeUnused()
    }
  }

  /** To be called when nobody will read the bytes or hold them again. */
  release(): void {
    this.#isReleased = true
    this.#freeUnused()
  }

  #freeUnused(): void {
    if (this.#isReleased && this.#writers === 0) freeBuffer(this.#bytes)
  }
}

/**
 * Returns the memory at once. The garbage collector would find it only after tens of megabytes more
 * had been allocated. For buffers with memory of their own, which then have no bytes any more.
 */
export function freeBuffer({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0)
}
