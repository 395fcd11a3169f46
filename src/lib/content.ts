import { inspect } from 'node:util'

/** What logs, messages and serializers see instead of the content. */
const PLACEHOLDER = '[content]'

/**
 * Content that a client sent or received. Nothing that turns objects into text can read its bytes,
 * so it cannot end up in a log, an error or a store by accident. Only `reveal` returns them, and
 * the tidy test lists the files that may call it.
 */
export class Content {
  readonly #bytes: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get byteLength(): number {
    return this.#bytes.byteLength
  }

  reveal(): Buffer {
    return this.#bytes
  }

  toJSON(): string {
    return PLACEHOLDER
  }

  toString(): string {
    return PLACEHOLDER
  }

  [Symbol.toPrimitive](): string {
    return PLACEHOLDER
  }

  [inspect.custom](): string {
    return PLACEHOLDER
  }
}
