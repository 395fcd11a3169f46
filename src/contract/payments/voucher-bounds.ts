/** Codes of one kind that are made at once. */
export const VOUCHERS_AT_ONCE_MAX = 100
/** That redeem one voucher, one after the other: its row is locked meanwhile. */
export const VOUCHER_ORGANIZATIONS_MAX = 1_000
export const VOUCHER_CREDIT_DAYS_MAX = 3_650
