import type { Call } from '../../http/call.ts'
import { DOCS } from './read-docs.ts'
import { sendDocs, sendPage, type Pages } from './send-page.ts'

export type ConsoleHandlerOptions = Pages & {
  /** The path of the console's public address, without a final slash. */
  readonly prefix: string
  readonly management: (call: Call) => Promise<void>
  readonly scim: (call: Call) => Promise<void>
  /** Webhooks of the payment provider. */
  readonly hooks: (call: Call) => Promise<void>
}

const MANAGEMENT = '/management/'
const SCIM = '/scim/v2/'
const HOOKS = '/hooks/stripe'

/** Tells calls of the management API and of SCIM from pages, below the prefix or without it. */
export function createConsoleHandler(options: ConsoleHandlerOptions): Handler {
  return async (call) => {
    const target = call.request.url ?? ''
    const [path = ''] = target.split('?', 1)
    const known = withoutPrefix(path, options)
    if (known === HOOKS) return options.hooks(call)
    const isScim = known.startsWith(SCIM)
    if (!isScim && !known.startsWith(MANAGEMENT)) {
      sendFileOf(call, known, options)
      return
    }
    call.request.url = `${known}${target.slice(path.length)}`
    await (isScim ? options.scim : options.management)(call)
  }
}

function sendFileOf(call: Call, path: string, options: ConsoleHandlerOptions): void {
  const { docs, prefix } = options
  if (docs === undefined) sendPage(call, path, options)
  else if (path.startsWith(DOCS)) sendDocs(call, path, docs)
  else if (`${path}/` === DOCS) {
    call.response.writeHead(308, { ...call.headers, location: `${prefix}${DOCS}` })
    call.response.end()
  } else sendPage(call, path, options)
}

type Handler = (call: Call) => Promise<void>

/**
 * A proxy may or may not remove the prefix. What is an address without removing anything is taken
 * as it is, because the prefix may be a path of our own, such as `/o`.
 */
function withoutPrefix(path: string, { prefix, files }: ConsoleHandlerOptions): string {
  if (prefix === '' || files?.byPath.has(path) === true) return path
  if (path.startsWith(`${MANAGEMENT}v1/`) || path.startsWith(SCIM)) return path
  if (path === prefix) return '/'
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path
}

/** The path of a public address: empty, or `/llm`. */
export function prefixOf(publicUrl: string): string {
  const { pathname } = new URL(publicUrl)
  return pathname.endsWith('/') ? pathname.slice(0, -1) : pathname
}
