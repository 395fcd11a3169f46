/** Micro-units of a unit: amounts are kept in them everywhere. */
const MICRO_DIGITS = 6

/** Currencies with two decimals that cards can be charged in. */
const CENTS =
  'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BWP BYN BZD CAD ' +
  'CDF CHF CNY COP CRC CVE CZK DKK DOP DZD EGP ETB EUR FJD FKP GBP GEL GIP GMD GTQ GYD HKD HNL ' +
  'HTG IDR ILS INR JMD KES KGS KHR KYD KZT LAK LBP LKR LRD LSL MAD MDL MKD MMK MNT MOP MUR MVR ' +
  'MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR ' +
  'SEK SGD SHP SLE SOS SRD STD SZL THB TJS TOP TRY TTD TZS UAH USD UYU UZS WST XCD YER ZAR ZMW'

const WHOLE = 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'

/**
 * Decimals of the currencies that payments can be made in. Others are missing on purpose: those
 * with three decimals, and ISK, UGX, HUF and TWD, whose minor units Stripe counts in a way of its
 * own.
 */
const DECIMALS: ReadonlyMap<string, number> = new Map([
  ...CENTS.split(' ').map((currency) => [currency, 2] as const),
  ...WHOLE.split(' ').map((currency) => [currency, 0] as const),
])

/** An amount or a currency that no payment can have. */
export class NoMinorUnits extends Error {
  override readonly name = 'NoMinorUnits'
}

/** Micro-units of one minor unit, such as a cent. Undefined if nobody can pay in this currency. */
export function minorUnit(currency: string): number | undefined {
  const decimals = DECIMALS.get(currency)
  return decimals === undefined ? undefined : 10 ** (MICRO_DIGITS - decimals)
}

/** Throws NoMinorUnits for an amount that is not whole: money is never rounded on the way. */
export function toMinor(currency: string, micro: number): number {
  const unit = requireUnit(currency)
  if (!Number.isSafeInteger(micro) || micro % unit !== 0)
    throw new NoMinorUnits(`${micro} micro-units are no whole minor units of ${currency}`)
  // Not -0, which would be written as another text.
  return micro / unit + 0
}

export function fromMinor(currency: string, minor: number): number {
  const micro = minor * requireUnit(currency)
  if (!Number.isSafeInteger(minor) || !Number.isSafeInteger(micro))
    throw new NoMinorUnits(`${minor} minor units of ${currency} are no amount`)
  return micro
}

function requireUnit(currency: string): number {
  const unit = minorUnit(currency)
  if (unit === undefined) throw new NoMinorUnits(`nobody can pay in ${currency}`)
  return unit
}
