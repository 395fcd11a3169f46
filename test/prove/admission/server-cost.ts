import type { Valkey } from '../../../src/store/valkey/valkey.ts'

/** What a Valkey server has done since it started. */
export type ServerCost = {
  /** Calls of scripts, by either command. */
  readonly scriptCalls: number
  /** Calls of all commands that clients sent; those made by scripts are not among them. */
  readonly calls: number
  /** Processor time of the thread that executes commands. */
  readonly cpuSeconds: number
}

/** Commands that this look itself and connecting cost, and that no admission causes. */
const OUR_OWN = new Set(['info', 'ping', 'client|setinfo', 'hello', 'select', 'quit'])
/** Commands of the script itself are counted as calls too. */
const INSIDE_SCRIPTS = new Set(
  'time get set hmget hset hsetnx hexists hdel hincrby pexpire expire sadd xadd'.split(' '),
)
const SCRIPTS = new Set(['evalsha', 'eval'])

export async function readServerCost(valkey: Valkey): Promise<ServerCost> {
  const commands = (await valkey.call('INFO', ['commandstats'])) as string
  const cpu = (await valkey.call('INFO', ['cpu'])) as string
  let scriptCalls = 0
  let calls = 0
  for (const [, name = '', count] of commands.matchAll(/^cmdstat_(\S+):calls=(\d+)/gm)) {
    if (SCRIPTS.has(name)) scriptCalls += Number(count)
    if (!OUR_OWN.has(name) && !INSIDE_SCRIPTS.has(name)) calls += Number(count)
  }
  const seconds = (field: string) =>
    Number(new RegExp(`^${field}:([\\d.]+)`, 'm').exec(cpu)?.[1] ?? Number.NaN)
  const cpuSeconds = seconds('used_cpu_user_main_thread') + seconds('used_cpu_sys_main_thread')
  return { scriptCalls, calls, cpuSeconds }
}

export function costBetween(before: ServerCost, after: ServerCost): ServerCost {
  return {
    scriptCalls: after.scriptCalls - before.scriptCalls,
    calls: after.calls - before.calls,
    cpuSeconds: after.cpuSeconds - before.cpuSeconds,
  }
}
