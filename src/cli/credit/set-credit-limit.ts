import type { CreditLimit } from '../../contract/management/operator-organization.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import type { Operator } from '../operator.ts'
import { unless, type ByOption, type CreditLimitOptions } from '../options.ts'

export function readCreditLimit(options: CreditLimitOptions): CreditLimit | undefined {
  const { creditLimit, reason } = options
  if (creditLimit === undefined && reason === undefined) return undefined
  if (creditLimit === undefined || reason === undefined)
    throw new OperatorError('--credit-limit and --reason require each other')
  return { credit_limit: unless(creditLimit, 'none'), reason }
}

export async function setCreditLimit(
  operator: Operator,
  organization: string,
  input: CreditLimit,
  options: ByOption,
): Promise<void> {
  const useCase = await import('../../platform/operator/organizations/set-credit-limit.ts')
  await operator.act(useCase.setCreditLimit, { organization, ...input }, options)
}
