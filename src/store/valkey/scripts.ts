import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ValkeyReplyError, type Valkey, type ValkeyArgument, type ValkeyCommand } from './valkey.ts'

/** Reads a Lua script from files next to the calling module; several files are joined in order. */
export function readScript(moduleUrl: string, ...files: readonly string[]): string {
  return files.map((file) => readFileSync(new URL(file, moduleUrl), 'utf8')).join('\n')
}

export type ScriptCall = {
  readonly keys: readonly string[]
  readonly args: readonly ValkeyArgument[]
}

/** Builds the commands that run a script: EVALSHA, or EVAL for a server without the script. */
export function scriptCommands(
  script: string,
): (call: ScriptCall, isMissing: boolean) => ValkeyCommand {
  const argumentsOf = scriptArguments(script)
  return (call, isMissing) => [isMissing ? 'EVAL' : 'EVALSHA', ...argumentsOf(call, isMissing)]
}

function scriptArguments(
  script: string,
): (call: ScriptCall, isMissing: boolean) => ValkeyArgument[] {
  const digest = createHash('sha1').update(script).digest('hex')
  return ({ keys, args }, isMissing) => [isMissing ? script : digest, keys.length, ...keys, ...args]
}

/** Whether the server does not have the script, as after a restart or a failover. */
export function isScriptMissing(reply: unknown): boolean {
  return reply instanceof ValkeyReplyError && reply.code === 'NOSCRIPT'
}

/** Calls a script, and sends it in full if the server does not have it. */
export function scriptCaller(
  valkey: Pick<Valkey, 'call'>,
  script: string,
): (call: ScriptCall) => Promise<unknown> {
  const argumentsOf = scriptArguments(script)
  return async (call) => {
    try {
      return await valkey.call('EVALSHA', argumentsOf(call, false))
    } catch (error) {
      if (!isScriptMissing(error)) throw error
      return valkey.call('EVAL', argumentsOf(call, true))
    }
  }
}
