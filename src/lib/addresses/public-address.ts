import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** Networks of IPv4 that are not the public internet (IANA's special-purpose registry). */
const SPECIAL_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]

/** All public addresses of IPv6 are in here … */
const GLOBAL_V6 = '2000::/3'
/** … except these. Tunnels are among them, because they lead to any address of IPv4. */
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']

const special = new BlockList()
const global = new BlockList()
for (const network of SPECIAL_V4) add(special, network, 'ipv4')
for (const network of SPECIAL_V6) add(special, network, 'ipv6')
add(global, GLOBAL_V6, 'ipv6')

/** Whether an IP address belongs to the public internet; false for a text that is no address. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special.check(address, 'ipv4')
  if (!isIPv6(address) || address.includes('%')) return false
  return global.check(address, 'ipv6') && !special.check(address, 'ipv6')
}

function add(list: BlockList, network: string, family: 'ipv4' | 'ipv6'): void {
  const [address = '', bits = ''] = network.split('/')
  list.addSubnet(address, Number(bits), family)
}
