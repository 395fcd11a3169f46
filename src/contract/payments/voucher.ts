import { Type, type Static } from 'typebox'
import { Id, Money, name, NewMoney, nullable, Time } from '../management/schemas.ts'
import {
  VOUCHER_CREDIT_DAYS_MAX,
  VOUCHER_ORGANIZATIONS_MAX,
  VOUCHERS_AT_ONCE_MAX,
} from './voucher-bounds.ts'

/** Room for what people type between the letters. */
const CODE_LENGTH_MAX = 100

const expiry = 'Until when it can be redeemed.'
const creditDays =
  'So many days after it was redeemed, what is left of the credit is taken back. Null: never.'

export const Voucher = Type.Object(
  {
    id: Id,
    state: Type.Enum(['open', 'used_up', 'expired', 'revoked']),
    amount: Type.Unsafe<Money>({ ...Money, description: 'What each organization gets.' }),
    organizations_max: Type.Integer({ description: 'How many organizations may redeem it.' }),
    redeemed: Type.Integer({ description: 'How many organizations have redeemed it.' }),
    expires_at: Type.Union([Time, Type.Null()], { description: `${expiry} Null: for ever.` }),
    credit_days: Type.Union([Type.Integer(), Type.Null()], { description: creditDays }),
    note: nullable(Type.String()),
    made_by: Type.String({ description: 'Who made it. It stays valid if they leave.' }),
    made_at: Time,
    revoked_at: nullable(Time),
  },
  { $id: 'Voucher' },
)
export type Voucher = Static<typeof Voucher>

export const NewVouchers = Type.Object(
  {
    amount: NewMoney,
    count: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: VOUCHERS_AT_ONCE_MAX,
        description: 'How many codes. Default 1.',
      }),
    ),
    organizations_max: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: VOUCHER_ORGANIZATIONS_MAX,
        description: 'How many organizations may redeem each code. Default 1.',
      }),
    ),
    expires_at: Type.Optional(
      Type.Unsafe<string>({ ...Time, description: `${expiry} Default: for ever.` }),
    ),
    credit_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: VOUCHER_CREDIT_DAYS_MAX,
        description: creditDays.replace('Null', 'Default'),
      }),
    ),
    note: Type.Optional(name(200, 'For operators. Organizations do not see it.')),
  },
  { $id: 'NewVouchers', additionalProperties: false },
)
export type NewVouchers = Static<typeof NewVouchers>

const CreatedVoucher = Type.Object(
  {
    ...Voucher.properties,
    code: Type.String({ description: 'It is shown only now.' }),
  },
  { $id: 'CreatedVoucher' },
)
export type CreatedVoucher = Static<typeof CreatedVoucher>

export const CreatedVouchers = Type.Object(
  { data: Type.Array(CreatedVoucher) },
  { $id: 'CreatedVouchers' },
)
export type CreatedVouchers = Static<typeof CreatedVouchers>

export const VoucherCode = Type.Object(
  {
    code: Type.String({
      minLength: 1,
      maxLength: CODE_LENGTH_MAX,
      description: 'In any case, with or without spaces and hyphens; O is read as 0, I and L as 1.',
    }),
  },
  { $id: 'VoucherCode', additionalProperties: false },
)
export type VoucherCode = Static<typeof VoucherCode>

export const RedeemedVoucher = Type.Object(
  {
    amount: Money,
    credit_expires_at: Type.Union([Time, Type.Null()], {
      description: 'When what is left of it is taken back. Null: never.',
    }),
    redeemed_at: Time,
    repeated: Type.Boolean({
      description: 'The organization had redeemed it before, and nothing was added now.',
    }),
    transfer_id: Id,
  },
  { $id: 'RedeemedVoucher' },
)
export type RedeemedVoucher = Static<typeof RedeemedVoucher>
