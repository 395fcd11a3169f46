import { engineSlotsKey, engineUsersKey } from '../valkey/keys.ts'
import { readScript, scriptCaller } from '../valkey/scripts.ts'
import type { Valkey } from '../valkey/valkey.ts'

const SCRIPT = readScript(import.meta.url, 'slot-table.lua')
/** Organizations have ids; a check of our own has none. */
const CHECK = 'check'

type SlotAsk = {
  readonly server: string
  readonly slots: number
  readonly ticket: number
  readonly organizationId: string
  readonly prefix: number
  readonly head: number
  readonly isolated: boolean
  /** Ticket → slot of the other generations of this process, -1 while it is not known. */
  readonly running: ReadonlyMap<number, number>
}

type SlotEnd = {
  readonly server: string
  readonly ticket: number
  readonly slot: number
  readonly progressed: boolean
  readonly ended: boolean
}

/** The slot tables that processes share, as `slot-table.lua` describes; `process` is a user. */
export function openSlotExchange(valkey: Pick<Valkey, 'call'>, process: string) {
  const call = scriptCaller(valkey, SCRIPT)
  const keysOf = (server: string) => [engineSlotsKey(server), engineUsersKey(server)]
  let tickets = 0
  return {
    nextTicket: () => (tickets += 1),
    async take(ask: SlotAsk): Promise<{ readonly slot: number; readonly reuse: boolean }> {
      const { server, ticket, organizationId, prefix, head, slots, isolated, running } = ask
      const others = [...running].map(([other, slot]) => `${other}:${slot}`).join()
      const request = [organizationId || CHECK, prefix, head]
      const args = [process, ticket, ...request, slots, isolated ? 1 : 0, others]
      const [slot, reuse] = (await call({ keys: keysOf(server), args })) as [number, number]
      return { slot, reuse: reuse === 1 }
    },
    async release({ server, ticket, slot, progressed, ended }: SlotEnd): Promise<void> {
      const args = [process, ticket, slot, progressed ? 1 : 0, ended ? 1 : 0]
      await call({ keys: keysOf(server), args })
    },
  }
}
