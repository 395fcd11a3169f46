import { inspect } from 'node:util'

/** All that a log, a message or a serialiser gets to see. */
const SHOWN = '[content]'

/**
 * What a client sent or was sent. It is held out of the reach of everything that turns objects
 * into text by itself, so that it cannot end up in a log, an error or a store by accident: the
 * one way to its bytes has a name that can be searched for, and the tidy rules say who may use it.
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
    return SHOWN
  }

  toString(): string {
    return SHOWN
  }

  [Symbol.toPrimitive](): string {
    return SHOWN
  }

  [inspect.custom](): string {
    return SHOWN
  }
}
