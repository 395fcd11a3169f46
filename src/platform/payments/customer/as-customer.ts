import { ProviderError } from '../../../payments/provider-error.ts'
import {
  findCustomer,
  forgetCustomer,
  storeCustomer,
} from '../../../store/payments/provider-customers.ts'
import type { OrganizationRow } from '../../../store/postgres/tables.ts'
import type { Environment } from '../../use-case/environment.ts'
import { providerOf } from '../provider-of.ts'

type Organization = Pick<OrganizationRow, 'id' | 'name'>

/**
 * Asks the provider about an organization, which becomes a customer now if it was none. A customer
 * that somebody has deleted there is forgotten with its card, and it is asked again, about another
 * one: `attempt` is 2 then, because keys are not used again for another request.
 */
export async function asCustomer<Result>(
  environment: Environment,
  organization: Organization,
  ask: (customer: string, attempt: number) => Promise<Result>,
): Promise<Result> {
  const { database } = environment
  const known = await findCustomer(database, organization.id)
  const customer = known ?? (await createCustomer(environment, organization, {}))
  try {
    return await ask(customer, 1)
  } catch (error) {
    if (!isCustomerGone(error)) throw error
    await forgetCustomer(database, organization.id, customer)
    return ask(await createCustomer(environment, organization, { replaces: customer }), 2)
  }
}

async function createCustomer(
  environment: Environment,
  { id: organizationId, name }: Organization,
  instead: { readonly replaces?: string },
): Promise<string> {
  const { provider } = await providerOf(environment)
  const ref = await provider.createCustomer({ organizationId, name, email: null, ...instead })
  return storeCustomer(environment.database, organizationId, ref)
}

export function isCustomerGone(error: unknown): boolean {
  return error instanceof ProviderError && error.failure === 'customer_gone'
}
