import type { Valkey } from '../../../src/store/valkey/valkey.ts'

/** What a Valkey server has used so far. */
export type ServerState = {
  readonly usedBytes: number
  readonly receivedBytes: number
  readonly sentBytes: number
  /** Of the thread that executes commands. */
  readonly cpuMicros: number
  readonly scriptCalls: number
}

const SECTIONS = ['memory', 'stats', 'cpu', 'commandstats']

export async function readServer(valkey: Pick<Valkey, 'call'>): Promise<ServerState> {
  const text = (await valkey.call('INFO', SECTIONS)) as string
  const read = (name: string) => Number(new RegExp(`^${name}([\\d.]+)`, 'm').exec(text)?.[1] ?? 0)
  const seconds = read('used_cpu_user_main_thread:') + read('used_cpu_sys_main_thread:')
  return {
    usedBytes: read('used_memory:'),
    receivedBytes: read('total_net_input_bytes:'),
    sentBytes: read('total_net_output_bytes:'),
    cpuMicros: seconds * 1_000_000,
    scriptCalls: read('cmdstat_evalsha:calls='),
  }
}
