import type { Agent } from 'node:http'
import { openChat, type Chat } from '../clients/stream-client.ts'
import { forkEngines, type ForkedEngines } from './forked.ts'
import type { StreamScript } from './stream-script.ts'

/** Engines that do what each prompt says, and what they have reported. */
export type StreamEngines = ForkedEngines & {
  /** The engines that got a prompt, in order. */
  seenBy(id: string): readonly number[]
  /** When the connection of a generation was closed before its end. */
  leftAtMs(id: string): number | undefined
  /** How many engines a prompt has killed. */
  deathsBy(id: string): number
  readonly deaths: number
  /** Finishes all generations of an engine that are held. */
  release(engine: number): void
}

const SCRIPT = new URL('stream-script.ts', import.meta.url)

export async function startStreamEngines(count: number): Promise<StreamEngines> {
  const seen = new Map<string, number[]>()
  const left = new Map<string, number>()
  const killers: string[] = []
  const engines = await forkEngines(SCRIPT, count, (report) => {
    const id = report['id'] as string
    if (report.report === 'seen')
      seen.set(id, [...(seen.get(id) ?? []), report['engine'] as number])
    else if (report.report === 'left') left.set(id, report['atMs'] as number)
    else if (report.report === 'died') killers.push(report['cause'] as string)
  })
  return {
    ...engines,
    seenBy: (id) => seen.get(id) ?? [],
    leftAtMs: (id) => left.get(id),
    deathsBy: (id) => killers.filter((killer) => killer === id).length,
    get deaths() {
      return killers.length
    },
    release: (engine) => engines.send({ release: engine }),
  }
}

/** A request whose prompt says what its engine does. */
export type ScriptedChat = { readonly id: string; readonly chat: Chat }

let opened = 0

export function openScripted(
  target: { readonly apiRoot: string; readonly key: string },
  model: string,
  script: StreamScript,
  { stream = true, agent }: { readonly stream?: boolean; readonly agent?: Agent } = {},
): ScriptedChat {
  const id = `${(opened += 1)}`
  const messages = [{ role: 'user', content: JSON.stringify({ id, ...script }) }]
  return { id, chat: openChat(target, { model, stream, messages }, agent) }
}
