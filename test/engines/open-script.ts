import { after } from 'node:test'
import type { StatesReply, StatesReport } from '../../src/engines/fleet/health/engine-states.ts'
import { HEARTBEAT_SCRIPT } from '../../src/store/fleet/heartbeat-exchange.ts'
import { scriptCaller } from '../../src/store/valkey/scripts.ts'
import { requireStack } from '../harness/processes/service.ts'
import { connectValkey } from '../harness/servers/valkey.ts'

export type Apply = (report: StatesReport, nowMs: number, process?: string) => Promise<StatesReply>

export const valkey = await connectValkey([requireStack().valkey.url])
after(() => valkey[Symbol.asyncDispose]())

/** The script with a clock that the test sets. */
export function openScript() {
  const script = HEARTBEAT_SCRIPT.replace(/call\('TIME'\)/, '{ ARGV[2], ARGV[3] }')
  const call = scriptCaller(valkey, script)
  const prefix = `{fleet-${crypto.randomUUID()}}:`
  const apply: Apply = async (states, nowMs, process = 'a') => {
    const report = JSON.stringify({ process, known: false, figures: true, states })
    const seconds = Math.floor(nowMs / 1000)
    const args = [report, seconds, (nowMs % 1000) * 1000]
    const keys = ['', 'orders', 'orders-version'].map((name) => prefix + name)
    const reply = String(await call({ keys, args }))
    return (JSON.parse(reply) as { readonly states: StatesReply }).states
  }
  return { apply, prefix }
}
