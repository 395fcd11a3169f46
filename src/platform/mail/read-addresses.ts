import { ApiError } from '../../contract/error.ts'
import { normalEmail } from '../../tenancy/email.ts'
import { isAddress } from './address.ts'

/** The addresses of a list, each once. The error names the first one that is none. */
export function readAddresses(list: readonly string[], param: string): string[] {
  const addresses = new Map<string, string>()
  for (const [at, address] of list.entries()) {
    if (!isAddress(address)) {
      const place = `${param}[${at}]`
      throw new ApiError('invalid_value', `'${place}' must be an email address.`, { param: place })
    }
    const key = normalEmail(address)
    if (!addresses.has(key)) addresses.set(key, address)
  }
  return [...addresses.values()]
}
