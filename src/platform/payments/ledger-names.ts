/** Ledger account of what the provider holds or has paid out for us. */
export const PROVIDER_ACCOUNT = 'provider:stripe'
export const TAX_ACCOUNT = 'tax'
/** What was paid to our bank account. */
export const BANK_ACCOUNT = 'bank'
/** Money that nobody expects any more. */
export const LOSSES_ACCOUNT = 'losses'
