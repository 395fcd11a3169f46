import type { CreatedVouchers } from '../../../src/contract/payments/voucher.ts'
import type { Postgres } from '../../../src/store/postgres/postgres.ts'
import { createVoucherCode } from '../../../src/tenancy/money/voucher-code.ts'
import { ask, openPerson, type Headers } from '../../harness/processes/console.ts'
import type { Form } from './forms.ts'

type Redeemer = { readonly organizationId: string; readonly as: Headers }

/**
 * An operator makes two vouchers, of which an organization redeems one after a wrong code. Returns
 * all three codes as they were shown and as they are hashed, to be searched for.
 */
export async function redeemOne(
  root: string,
  postgres: Postgres,
  { organizationId, as }: Redeemer,
): Promise<Form[]> {
  const operator = await openPerson(postgres, { platformRole: 'operator' })
  const body = { amount: { amount: '1.00' }, count: 2 }
  const made = await ask(root, 'POST', '/operator/vouchers', { as: operator.as, body })
  const [redeemed, kept] = (made.body as unknown as CreatedVouchers).data
  const wrong = createVoucherCode().code
  const path = `/organizations/${organizationId}/vouchers/redeem`
  for (const [code, status] of [
    [wrong, 400],
    [redeemed!.code, 200],
  ] as const) {
    const answer = await ask(root, 'POST', path, { as, body: { code } })
    if (answer.status !== status) throw new Error(`a voucher was answered with ${answer.text}`)
  }
  return [redeemed!.code, kept!.code, wrong]
    .flatMap((code) => [code, code.replaceAll('-', '')])
    .map((text) => ({ name: 'code of a voucher', bytes: Buffer.from(text) }))
}
