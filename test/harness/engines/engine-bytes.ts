import type { Bytes } from '../../../src/engines/wire/byte-source.ts'

/** A body that arrives in these reads, each of which has some parts. */
export function bytesOf(
  reads: AsyncIterable<readonly Buffer[]> | Iterable<readonly Buffer[]>,
): Bytes {
  return {
    async *read(reader) {
      for await (const parts of reads) {
        for (const part of parts) reader.take(part, 0, part.length)
        const batch = reader.takeBatch()
        if (batch !== undefined) yield batch
        if (reader.isOver()) return
      }
      reader.onEnd()
      const last = reader.takeBatch()
      if (last !== undefined) yield last
    },
    allowPauses: () => undefined,
  }
}
