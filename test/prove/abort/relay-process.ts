// A bare TCP relay: forwards every byte between a client and an engine. See `relay.ts`.
import { connect, createServer, type AddressInfo } from 'node:net'

const { hostname, port } = new URL(process.argv[2] ?? '')

const server = createServer((client) => {
  const engine = connect(Number(port), hostname)
  client.pipe(engine).pipe(client)
  const end = () => {
    client.destroy()
    engine.destroy()
  }
  for (const side of [client, engine]) side.on('error', end).on('close', end)
})

server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
