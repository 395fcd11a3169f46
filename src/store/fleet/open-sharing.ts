import type { Valkey } from '../valkey/valkey.ts'
import { openHeartbeatExchange } from './heartbeat-exchange.ts'
import { openSharedPlacements } from './shared-placements.ts'

/** How a process shares engines with the other processes of its fleet. */
export function openSharing(valkey: Pick<Valkey, 'call'>, process: string, fleet = 'main') {
  return {
    process,
    exchange: openHeartbeatExchange(valkey, fleet),
    placements: openSharedPlacements(valkey, fleet),
  }
}
