import { readFileSync } from 'node:fs'
import type { EngineTraits } from '../../src/engines/adapters/chat-engine.ts'
import type { Piece } from '../../src/engines/adapters/piece.ts'
import { bytesOf } from '../harness/engines/engine-bytes.ts'
import { readPieces } from '../../src/engines/adapters/read-pieces.ts'

const CHARACTERS_MAX = 10_000

/** The pieces of a recorded stream, read at once. */
export async function readRecording(path: string, traits: EngineTraits): Promise<Piece[]> {
  const stream = readFileSync(new URL(`fixtures/${path}.sse`, import.meta.url))
  const bytes = bytesOf([[stream]])
  const options = { toolCallsMax: Infinity, charactersMax: CHARACTERS_MAX, pauses: undefined }
  const pieces: Piece[] = []
  for await (const batch of readPieces(bytes, { ...traits, engine: path, observed: {} }, options))
    pieces.push(...batch.pieces)
  return pieces
}
