import { setTimeout as pause } from 'node:timers/promises'
import type { LlamaServer } from '../../harness/llama-server.ts'
import { openChat, type Chat } from '../../harness/stream-client.ts'

const ROUNDS = 2

/** A list of so many numbers that no generation of the demo model ends by itself. */
const ENDLESS = {
  messages: [{ role: 'user', content: 'Count.' }],
  max_tokens: 3_000,
  response_format: {
    type: 'json_schema',
    json_schema: {
      name: 'numbers',
      schema: { type: 'array', items: { type: 'integer' }, minItems: 1_000 },
    },
  },
}

/** How long the real engine works on for nobody, at most. */
export async function judgeReal(
  target: { readonly apiRoot: string; readonly key: string },
  model: string,
  llama: LlamaServer,
  slots: number,
  timeoutMs: number,
): Promise<number> {
  let slowestMs = 0
  for (const stream of [true, true, false]) {
    for (let round = 0; round < ROUNDS; round += 1) {
      const early = stream && round === 0
      const chats: Chat[] = Array.from({ length: slots }, () =>
        openChat(target, { ...ENDLESS, model, stream }),
      )
      if (early || !stream) await pause(early ? 20 : 300)
      else await Promise.all(chats.map(({ begun }) => begun))
      for (const chat of chats) chat.leave()
      const leftMs = performance.now()
      while ((await llama.slotsInUse()) > 0) {
        if (performance.now() - leftMs > timeoutMs) return timeoutMs
        await pause(10)
      }
      slowestMs = Math.max(slowestMs, performance.now() - leftMs)
    }
  }
  return slowestMs
}
