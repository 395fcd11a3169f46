import { join } from 'node:path'
import type { startFakeEngine, Target } from '../../../bench/load.ts'
import { stackFolder } from '../../../stack/state.ts'

export type Engine = Awaited<ReturnType<typeof startFakeEngine>>
type Started = Target & AsyncDisposable

const FOLDER = join(stackFolder, 'bench')

/** Starts something to compare with; undefined, with the reason printed, if that fails. */
export async function startOther(
  name: string,
  start: (folder: string, enginePort: number) => Promise<Started>,
  engine: Engine,
): Promise<Started | undefined> {
  try {
    return await start(join(FOLDER, name), engine.port)
  } catch (error) {
    console.log(`${name} is not available: ${error instanceof Error ? error.message : ''}`)
    return undefined
  }
}

/** The engine itself, without a gateway. */
export function directTo(engine: Engine): Target {
  return {
    name: 'direct',
    version: '',
    port: engine.port,
    path: '/v1/chat/completions',
    headers: [],
    pids: [engine.pid],
    asksForCounts: false,
  }
}
