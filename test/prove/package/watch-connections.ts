/** Prints where a process connects to, as lines of its log, before the program starts. */
const WATCH = `
import net from 'node:net'
const { connect } = net.Socket.prototype
net.Socket.prototype.connect = function (...args) {
  const [first, second] = args.flat()
  const { path, host = 'localhost', port } =
    typeof first === 'object' ? first : { port: first, host: second }
  const to = path ?? host + ':' + port
  console.log(JSON.stringify({ msg: 'connects', to }))
  return connect.apply(this, args)
}`

/** For NODE_OPTIONS. */
export const WATCH_OPTION = `--import=data:text/javascript,${encodeURIComponent(WATCH)}`

/** The address, if the line of the log is such a line. */
export function connectionIn(line: string): string | undefined {
  const { msg, to } = JSON.parse(line) as { readonly msg?: string; readonly to?: string }
  return msg === 'connects' ? to : undefined
}
