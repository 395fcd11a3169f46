import { Type } from 'typebox'
import { ID_PAGE_QUERY } from '../../../contract/management/operator-account.ts'
import { listOf } from '../../../contract/management/schemas.ts'
import {
  CreatedVouchers,
  NewVouchers,
  RedeemedVoucher,
  Voucher,
  VoucherCode,
} from '../../../contract/payments/voucher.ts'
import { createVouchers } from '../../operator/vouchers/create-vouchers.ts'
import { listVouchers } from '../../operator/vouchers/list-vouchers.ts'
import { revokeVoucher } from '../../operator/vouchers/revoke-voucher.ts'
import { redeemVoucher } from '../../vouchers/redeem-voucher.ts'
import { defineRoute, type Route } from '../route.ts'

const VOUCHERS = '/operator/vouchers'

export const VOUCHER_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/organizations/{organization}/vouchers/redeem',
    summary:
      'Redeem the code of a voucher: its amount is added to the balance, once for each ' +
      'organization. Ten wrong codes an hour are possible for an account or an organization.',
    does: redeemVoucher,
    body: VoucherCode,
    status: 200,
    answer: RedeemedVoucher,
    input: ({ path, body }) => ({ organization: path['organization']!, ...body }),
    example: { body: { code: '7QKD-2M0X-V9ET-HC4R' } },
  }),
]

export const OPERATOR_VOUCHER_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: VOUCHERS,
    summary: 'List vouchers, newest first, without their codes.',
    does: listVouchers,
    query: Type.Object(ID_PAGE_QUERY, { additionalProperties: false }),
    status: 200,
    answer: listOf(Voucher),
    input: ({ query }) => query,
  }),
  defineRoute({
    method: 'POST',
    path: VOUCHERS,
    summary: 'Make up to 100 vouchers of one kind. Their codes are in this answer only.',
    does: createVouchers,
    body: NewVouchers,
    status: 201,
    answer: CreatedVouchers,
    secret: true,
    input: ({ body }) => body,
    example: { body: { amount: { amount: '25.00' }, count: 3 } },
  }),
  defineRoute({
    method: 'DELETE',
    path: `${VOUCHERS}/{voucher}`,
    summary: 'Revoke a voucher. Organizations that have redeemed it keep the money.',
    does: revokeVoucher,
    status: 204,
    input: ({ path }) => ({ voucher: path['voucher']! }),
  }),
]
