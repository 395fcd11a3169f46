import { isIPv4 } from 'node:net'
import { readAddress } from '../../lib/addresses/networks.ts'

/** Of every address that cannot be read: they count as one network, so that each has a limit. */
const UNREADABLE = 'unreadable'

/** The network of a client, /24 or /48: enough for a place, too little to follow a person. */
export function networkOfAddress(text: string): string {
  const address = readAddress(text)
  if (address === undefined) return UNREADABLE
  if (isIPv4(address)) return `${address.split('.').slice(0, 3).join('.')}.0/24`
  return `${address.split(':').slice(0, 3).join(':')}::/48`
}
