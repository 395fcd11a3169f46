/**
 * An engine of its own process whose capacity is exact: `slots` generations at once, each of
 * `serviceMs`. Prints its address, then serves until its standard input ends.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: { slots: { type: 'string' }, 'service-ms': { type: 'string' } },
})
const SLOTS = Number(values.slots)
const SERVICE_MS = Number(values['service-ms'])

const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`
const delta = (text: object, finish: string | null) =>
  event({ choices: [{ index: 0, delta: text, finish_reason: finish }] })
const REPLY = [
  delta({ content: 'Done.' }, null),
  delta({}, 'stop'),
  event({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 1 } }),
  'data: [DONE]\n\n',
].join('')

let running = 0

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  request.resume()
  await once(request, 'end')
  // Whoever sends more than the slots would make the capacity another one.
  if (running >= SLOTS) {
    response.writeHead(500).end('{"error":{"code":500,"message":"no slot"}}')
    return
  }
  running += 1
  await pause(SERVICE_MS)
  running -= 1
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(REPLY)
}

const server = createServer((request, response) => void answer(request, response))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
process.stdin.resume()
await once(process.stdin, 'end')
server.close()
server.closeAllConnections()
