import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'

/** Calls of scripts that a Valkey server has received, told apart by their first key. */
export type ScriptCalls = {
  /** Calls for the fleet. */
  readonly fleet: number
  /** Calls for an organization: admission, settlement, checkpoint. */
  readonly organizations: number
}

/** Counts the calls of a server as it receives them, until it is disposed of. */
export async function watchScripts(
  url: string,
): Promise<Disposable & { counts(): ScriptCalls; settle(): Promise<void> }> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  let [fleet, organizations] = [0, 0]
  let onMark: () => void = () => undefined
  createInterface({ input: socket }).on('line', (line) => {
    if (line.includes('"headrace-mark"')) onMark()
    if (!/"evalsha" /i.test(line)) return
    if (line.includes('"{fleet:')) fleet += 1
    else if (line.includes('"{p')) organizations += 1
  })
  socket.write('MONITOR\r\n')
  await once(socket, 'data')
  return {
    counts: () => ({ fleet, organizations }),
    async settle() {
      const { promise, resolve } = Promise.withResolvers<void>()
      onMark = resolve
      const other = connect({ host: hostname, port: Number(port) })
      other.end(`ECHO headrace-mark\r\n`)
      await promise
      other.destroy()
    },
    [Symbol.dispose]: () => socket.destroy(),
  }
}
