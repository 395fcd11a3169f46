import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ValkeyRefusal, type Valkey, type ValkeyArgument } from './valkey.ts'

/** A Lua script, joined from files that stand beside the module that calls it. */
export function readScript(moduleUrl: string, ...files: readonly string[]): string {
  return files.map((file) => readFileSync(new URL(file, moduleUrl), 'utf8')).join('\n')
}

export type ScriptCall = {
  readonly keys: readonly string[]
  readonly args: readonly ValkeyArgument[]
}

/** EVALSHA, and EVAL where the server does not have the script: after a restart or a failover. */
export function scriptCaller(
  valkey: Pick<Valkey, 'call'>,
  script: string,
): (call: ScriptCall) => Promise<unknown> {
  const digest = createHash('sha1').update(script).digest('hex')
  return async ({ keys, args }) => {
    const rest = [keys.length, ...keys, ...args]
    try {
      return await valkey.call('EVALSHA', [digest, ...rest])
    } catch (error) {
      if (!(error instanceof ValkeyRefusal) || error.code !== 'NOSCRIPT') throw error
      return valkey.call('EVAL', [script, ...rest])
    }
  }
}
