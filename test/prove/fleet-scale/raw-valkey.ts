import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createConnection } from 'node:net'

/** A connection to Valkey that uses no timers, since the simulation replaces them. */
export type RawValkey = Disposable & {
  /** The reply as text. */
  call(...args: readonly string[]): Promise<string>
  load(script: string): Promise<string>
  /** What the server has used until now. */
  used(): Promise<Used>
}

export type Used = {
  /** Of its main thread. */
  readonly cpuMicros: number
  readonly scriptCalls: number
  readonly bytes: number
}

type Waiting = {
  readonly resolve: (text: string) => void
  readonly reject: (error: Error) => void
}
type Parsed = { readonly text: string; readonly isError: boolean; readonly end: number }

export async function connectRaw(url: string): Promise<RawValkey> {
  const { hostname, port } = new URL(url)
  const socket = createConnection({ host: hostname, port: Number(port), noDelay: true })
  await once(socket, 'connect')
  const waiting: Waiting[] = []
  let data = Buffer.alloc(0)
  socket.on('data', (chunk) => {
    data = data.length === 0 ? chunk : Buffer.concat([data, chunk])
    for (let reply = parse(data); reply !== undefined; reply = parse(data)) {
      data = data.subarray(reply.end)
      const { resolve, reject } = waiting.shift()!
      if (reply.isError) reject(new Error(reply.text))
      else resolve(reply.text)
    }
  })
  function call(...args: readonly string[]): Promise<string> {
    const parts = args.map((arg) => `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`)
    socket.write(`*${args.length}\r\n${parts.join('')}`)
    return new Promise((resolve, reject) => waiting.push({ resolve, reject }))
  }
  return {
    call,
    async load(script) {
      await call('SCRIPT', 'LOAD', script)
      return createHash('sha1').update(script).digest('hex')
    },
    async used() {
      const info = await call('INFO', 'everything')
      const read = (name: string) => Number(new RegExp(`^${name}([\\d.]+)`, 'm').exec(info)?.[1])
      const seconds = read('used_cpu_user_main_thread:') + read('used_cpu_sys_main_thread:')
      return {
        cpuMicros: 1e6 * seconds,
        scriptCalls: read('cmdstat_evalsha:calls=') || 0,
        bytes: read('total_net_input_bytes:') + read('total_net_output_bytes:'),
      }
    },
    [Symbol.dispose]: () => socket.destroy(),
  }
}

/** The first reply, if it is complete: a line, or a text whose length the line tells. */
function parse(data: Buffer): Parsed | undefined {
  const line = data.indexOf('\r\n')
  if (line < 0) return undefined
  const head = data.toString('latin1', 1, line)
  const isError = data[0] === 0x2d
  if (data[0] !== 0x24) return { text: head, isError, end: line + 2 }
  const length = Math.max(0, Number(head))
  const from = line + 2
  if (Number(head) < 0) return { text: '', isError, end: from }
  if (data.length < from + length + 2) return undefined
  return { text: data.toString('utf8', from, from + length), isError, end: from + length + 2 }
}
