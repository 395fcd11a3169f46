import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from './bench.ts'

const NOTE = 'The secret word is tulip.'
/** With this the engine begins an answer that quotes the result of a tool. */
const QUOTE = 'The tool says:'

/** Writes a file for agents to read. The engine says `example` where no other text is asked for. */
export function placeNote({ home }: Bench): string {
  const file = join(home, 'example')
  writeFileSync(file, `${NOTE}\n`)
  return file
}

/** The engine saw what is in the file: agents print results by themselves too. */
export function expectNote(output: string): void {
  const at = output.indexOf(QUOTE)
  assert.ok(at >= 0 && output.includes(NOTE, at), `printed ${output}`)
}
