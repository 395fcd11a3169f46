import { after } from 'node:test'

/** They end after the last test of the file, in this order. */
export function endWithFile(...parts: readonly AsyncDisposable[]): void {
  after(async () => {
    for (const part of parts) await part[Symbol.asyncDispose]()
  })
}
