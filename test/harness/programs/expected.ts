import assert from 'node:assert/strict'
import { TALK_WITHOUT_END } from '../fake-engine/obliging.ts'

/** What programs are asked, and what the engine then says. */
export const QUESTION = 'What is two plus two?'
export const ANSWER = 'Four, says the engine.'
export const ENDLESS = TALK_WITHOUT_END

export function expectAnswer(output: string, wanted = ANSWER): void {
  assert.ok(output.includes(wanted), `printed ${output}`)
}
