import type { Valkey } from '../../../src/store/valkey/valkey.ts'

/** The work of a Valkey server over some time. */
export type ServerCost = {
  /** Calls of scripts, by either command. */
  readonly scriptCalls: number
  /** Other commands that clients sent; those made by scripts are not counted. */
  readonly otherCalls: number
  /** CPU time of the thread that executes commands. */
  readonly cpuSeconds: number
}

/** Commands of this measurement and of connecting, which no admission causes. */
const OUR_OWN = ['info', 'ping', 'client|setinfo', 'hello', 'select', 'quit']
/** The server counts the commands of a script as calls too. */
const INSIDE_SCRIPTS =
  'time get set hmget hset hsetnx hexists hdel hincrby pexpire expire sadd xadd ' +
  // Of the heartbeat, which processes send at an interval, whatever the number of requests.
  'incr exists hget hgetall hkeys zscore zcard zadd zrem zrank zrange zrangebyscore ' +
  'zremrangebyrank smembers srem del llen ltrim lrange rpush'
const SCRIPTS = new Set(['evalsha', 'eval'])
const IGNORED = new Set([...OUR_OWN, ...INSIDE_SCRIPTS.split(' ')])

/** Starts measuring; the function it resolves to reads the cost since then. */
export async function measureServer(valkey: Valkey): Promise<() => Promise<ServerCost>> {
  const before = await readCost(valkey)
  return async () => {
    const after = await readCost(valkey)
    return {
      scriptCalls: after.scriptCalls - before.scriptCalls,
      otherCalls: after.otherCalls - before.otherCalls,
      cpuSeconds: after.cpuSeconds - before.cpuSeconds,
    }
  }
}

async function readCost(valkey: Valkey): Promise<ServerCost> {
  const commands = (await valkey.call('INFO', ['commandstats'])) as string
  const cpu = (await valkey.call('INFO', ['cpu'])) as string
  let scriptCalls = 0
  let otherCalls = 0
  for (const [, name = '', count] of commands.matchAll(/^cmdstat_(\S+):calls=(\d+)/gm)) {
    if (SCRIPTS.has(name)) scriptCalls += Number(count)
    else if (!IGNORED.has(name)) otherCalls += Number(count)
  }
  const seconds = (field: string) => Number(new RegExp(`^${field}:([\\d.]+)`, 'm').exec(cpu)?.[1])
  const cpuSeconds = seconds('used_cpu_user_main_thread') + seconds('used_cpu_sys_main_thread')
  return { scriptCalls, otherCalls, cpuSeconds }
}
