import { ApiError } from '../../contract/error.ts'
import type { AllowedNetworks } from '../../contract/management/organization.ts'
import { createNetworks, readNetwork } from '../../lib/addresses/networks.ts'
import { storeAllowedNetworks } from '../../store/tenants/allowed-networks.ts'
import { lockOrganization } from '../../store/tenants/organizations.ts'
import type { Actor } from '../../tenancy/actor.ts'
import { defineChange, defineRead } from '../use-case/use-case.ts'

export const readAllowedNetworks = defineRead(
  { action: 'allowed_networks.read', permission: 'sign-in:read', confirmed: true },
  async ({ access }): Promise<AllowedNetworks> => ({
    networks: access.organization.allowed_networks,
  }),
)

/** Sets where members and keys may call from, never without the address of whoever sets it. */
export const setAllowedNetworks = defineChange(
  { action: 'allowed_networks.set', permission: 'sign-in:write', confirmed: true },
  async ({ transaction, access }, input: AllowedNetworks) => {
    const networks = [...new Set(input.networks.map(readNetworkAt))]
    checkNotLockedOut(access.actor, networks)
    const {
      id,
      slug,
      allowed_networks: before,
    } = await lockOrganization(transaction, access.organization.id)
    const { raised } = await storeAllowedNetworks(transaction, id, networks)
    return {
      value: { networks },
      target: { kind: 'organization', id, label: slug },
      changes: { networks: [before, networks] },
      unchanged: before.join() === networks.join(),
      raised,
    }
  },
)

function readNetworkAt(text: string, at: number): string {
  const network = readNetwork(text)
  if (network !== undefined) return network
  const param = `networks[${at}]`
  throw new ApiError('invalid_value', `'${param}' must be a network such as 192.0.2.0/24.`, {
    param,
  })
}

function checkNotLockedOut(actor: Actor, networks: readonly string[]): void {
  if (networks.length === 0 || actor.kind !== 'person') return
  const address = actor.request?.address
  if (createNetworks(networks).has(address)) return
  throw new ApiError(
    'conflict',
    `Your own address, ${address ?? 'which is not known'}, is in none of these networks: you ` +
      'would lock yourself out.',
  )
}
