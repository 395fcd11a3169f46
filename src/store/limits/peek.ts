import type { Peeked } from '../../tenancy/meters.ts'
import { organizationKeys } from '../valkey/keys.ts'
import { readScript, scriptCaller, type ScriptCall } from '../valkey/scripts.ts'
import type { Valkey } from '../valkey/valkey.ts'

export const PEEK_SCRIPT = readScript(import.meta.url, 'peek.lua')

/** What Valkey knows of an organization's limits and funds, in one call that writes nothing. */
export function createPeek(
  valkey: Pick<Valkey, 'call'>,
): (organizationId: string) => Promise<Peeked> {
  const peek = scriptCaller(valkey, PEEK_SCRIPT)
  return async (organizationId) => {
    const { limits, funds, running } = organizationKeys(organizationId)
    return readPeeked(await peek(peekCall([limits, funds, running], organizationId)))
  }
}

export function peekCall(keys: readonly string[], organizationId: string): ScriptCall {
  return { keys, args: [organizationId] }
}

type Reply = [
  now: string,
  limits: (string | null)[],
  funds: (string | null)[],
  running: string | null,
]

export function readPeeked(reply: unknown): Peeked {
  const [now, limits, [spent, reserved], running] = reply as Reply
  const [at, requestDebt, tokenDebt, requestsToday, tokensToday] = limits.map((text) =>
    Number(text ?? 0),
  )
  const nowMs = Number(now)
  return {
    nowMs,
    used: {
      atMs: limits[0] === null ? nowMs : at!,
      requestDebt: requestDebt!,
      tokenDebt: tokenDebt!,
      requestsToday: requestsToday!,
      tokensToday: tokensToday!,
    },
    spent: spent === null || spent === undefined ? null : Number(spent),
    reserved: Number(reserved ?? 0),
    running: Number(running ?? 0),
  }
}
