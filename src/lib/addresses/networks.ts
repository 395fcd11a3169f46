import { BlockList, isIPv4, isIPv6 } from 'node:net'

/**
 * The one spelling of an address, however proxies write it: without port, brackets and zone, and as
 * IPv4 if it is IPv4 written as IPv6. Undefined if the text is no address.
 */
export function readAddress(text: string): string | undefined {
  const address = withoutPort(text.trim())
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return undefined
  const groups = groupsOf(address)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (!isMapped) return groups.map((group) => group.toString(16)).join(':')
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.')
}

function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text)
  if (bracketed !== null) return bracketed[1] ?? ''
  const [, address = text] = /^([\d.]+):\d+$/.exec(text) ?? []
  return address
}

/** The eight groups of a valid IPv6 address, however it is abbreviated. */
function groupsOf(address: string): number[] {
  const [withoutZone = ''] = address.split('%')
  // URLs have one spelling for each address, and it contains no dots.
  const { hostname } = new URL(`http://[${withoutZone}]`)
  const [head = [], tail = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((part) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))))
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail]
}

const NETWORK = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i

/** A network such as 192.0.2.0/24, or a single address. Undefined if the text is neither. */
export function readNetwork(text: string): string | undefined {
  const [, base = '', bits] = NETWORK.exec(text) ?? []
  const longest = isIPv4(base) ? 32 : isIPv6(base) ? 128 : 0
  const address = readAddress(base)
  // IPv4 written as IPv6 would have the wrong length.
  if (longest === 0 || address === undefined || isIPv4(address) !== isIPv4(base)) return undefined
  const length = bits === undefined ? longest : Number(bits)
  return length <= longest ? `${shortAddress(address)}/${length}` : undefined
}

/** IPv6 as people write it: 2001:db8::1. URLs have one spelling for each address. */
export function shortAddress(address: string): string {
  return isIPv4(address) ? address : new URL(`http://[${address}]`).hostname.slice(1, -1)
}

export type Networks = {
  /** False for an address that is not known. */
  has(address: string | undefined): boolean
}

/** Networks as `readNetwork` writes them. */
export function createNetworks(networks: readonly string[]): Networks {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits = ''] = network.split('/')
    list.addSubnet(address, Number(bits), familyOf(address))
  }
  return { has: (address) => address !== undefined && list.check(address, familyOf(address)) }
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6'
}
