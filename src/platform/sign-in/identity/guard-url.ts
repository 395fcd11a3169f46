import { lookup } from 'node:dns/promises'
import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps, type RequestOptions } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { CustomFetch, CustomFetchOptions } from 'openid-client'
import { isPublicAddress } from '../../../lib/addresses/public-address.ts'

const TIMEOUT_MS = 5_000
const ANSWER_BYTES_MAX = 256 * 1024

/** An address that a customer entered is not allowed, or its answer breaks a limit. */
export class UrlRefused extends Error {
  override readonly name = 'UrlRefused'
}

export type UrlGuard = {
  /** Hosts that the operator lets have private addresses and http. */
  readonly privateHosts: readonly string[]
  /** Resolves a name, or an address in any spelling, to all its addresses. */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>
  /** For one answer, from the resolution of the name to its last byte. */
  readonly timeoutMs?: number
}

/** Throws `UrlRefused` for an address that no sign-in could use, before anything is sent. */
export function checkIssuerUrl(text: string, { privateHosts }: UrlGuard): URL {
  if (!URL.canParse(text)) throw new UrlRefused('the issuer is not a URL')
  const url = new URL(text)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isPrivateHost(url, privateHosts)))
    throw new UrlRefused('the issuer must begin with https://')
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new UrlRefused('the issuer must have no user name, query or fragment')
  return url
}

/**
 * A `fetch` for addresses that customers enter, so that this server cannot be made to call others
 * in its own network (SSRF). The name is resolved once and the connection goes to the address that
 * was checked, so DNS cannot give another answer in between. Redirects are not followed.
 */
export function createGuardedFetch(guard: UrlGuard): CustomFetch {
  return async (text, options) => {
    const timeout = AbortSignal.timeout(guard.timeoutMs ?? TIMEOUT_MS)
    const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout
    const url = checkFetched(text, guard)
    const address = await orAborted(findAllowedAddress(url, guard), signal)
    const response = await send(url, address, { ...options, signal })
    const body = await readBody(response)
    const status = response.statusCode ?? 0
    const headers = new Headers()
    for (const [name, values] of Object.entries(response.headersDistinct))
      for (const value of values ?? []) headers.append(name, value)
    // Response refuses a body for these.
    return new Response([204, 205, 304].includes(status) ? null : body, { status, headers })
  }
}

/** The addresses in a discovery document are the provider's choice: the same rules for them. */
function checkFetched(text: string, { privateHosts }: UrlGuard): URL {
  const url = new URL(text)
  if (url.protocol === 'https:') return url
  if (url.protocol === 'http:' && isPrivateHost(url, privateHosts)) return url
  throw new UrlRefused('an address of the identity provider does not begin with https://')
}

async function findAllowedAddress(url: URL, guard: UrlGuard): Promise<string> {
  const hostname = hostOf(url)
  const resolve = guard.resolve ?? resolveAll
  const addresses = await resolve(hostname)
  const [first] = addresses
  if (first === undefined) throw new UrlRefused('the name of the identity provider is unknown')
  if (!isPrivateHost(url, guard.privateHosts) && !addresses.every(isPublicAddress))
    throw new UrlRefused('the identity provider is in a private network')
  return first
}

/** Whether the operator lets this host have a private address and http. */
export function isPrivateHost(url: URL, hosts: readonly string[]): boolean {
  return hosts.some((host) => host.toLowerCase() === hostOf(url))
}

/** In lower case, and an IPv6 address without its brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

async function resolveAll(hostname: string): Promise<string[]> {
  const found = await lookup(hostname, { all: true })
  return found.map(({ address }) => address)
}

async function send(
  url: URL,
  address: string,
  { method, headers, body, signal }: CustomFetchOptions & { readonly signal: AbortSignal },
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const options: RequestOptions = {
    method,
    headers: { ...headers, 'accept-encoding': 'identity' },
    lookup: pinnedTo(address),
    // A connection of its own: one that was kept open could lead elsewhere.
    agent: false,
    signal,
  }
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options, resolve)
  request.on('error', reject)
  request.end(body instanceof URLSearchParams ? body.toString() : body)
  return promise
}

/** A lookup cannot be ended; its result is ignored after the timeout. */
async function orAborted<Value>(act: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason as Error)
  signal.addEventListener('abort', abort, { once: true })
  return Promise.race([act, promise]).finally(() => signal.removeEventListener('abort', abort))
}

function pinnedTo(address: string): LookupFunction {
  const family = isIP(address)
  return (_hostname, options, callback) => {
    if (options.all === true) callback(null, [{ address, family }])
    else callback(null, address, family)
  }
}

async function readBody(response: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    // Leaving the loop destroys the connection.
    if (bytes > ANSWER_BYTES_MAX) throw new UrlRefused('the answer is larger than 256 KiB')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
