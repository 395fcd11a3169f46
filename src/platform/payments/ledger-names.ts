/** Ledger account of what the provider holds or has paid out for us. */
export const PROVIDER_ACCOUNT = 'provider:stripe'
export const TAX_ACCOUNT = 'tax'
