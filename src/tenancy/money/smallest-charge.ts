import { minorUnit } from './minor-units.ts'

const MICRO = 1_000_000

/** Units of a currency, and the currencies of which Stripe charges no less, as it publishes. */
const PUBLISHED: readonly (readonly [units: number, currencies: string])[] = [
  [0.3, 'GBP'],
  [0.5, 'AUD BRL CAD CHF EUR INR NZD SGD USD'],
  [1, 'BGN'],
  [2, 'AED MYR PLN RON'],
  [2.5, 'DKK'],
  [3, 'NOK SEK'],
  [4, 'HKD'],
  [10, 'MXN THB'],
  [15, 'CZK'],
  [50, 'JPY'],
]

/**
 * Of the others Stripe asks for what is worth its smallest charge in the currency that the account
 * settles in, at the rate of the day. These amounts are round and worth 0.50 to 2 US dollars.
 */
const ROUND: readonly (readonly [units: number, currencies: string])[] = [
  [1, 'BMD BND BSD FKP GIP KYD PAB SHP'],
  [2, 'ANG AWG AZN BAM BBD BZD FJD GEL TOP WST XCD'],
  [5, 'BYN CNY ILS PEN PGK QAR SAR TTD'],
  [10, 'BOB BWP GHS GTQ MAD MOP SBD TJS'],
  [20, 'HNL LSL MDL MVR NAD SCR SLE SZL ZAR ZMW'],
  [50, 'DOP EGP MKD MUR NIO PHP SRD TRY UAH UYU'],
  [100, 'AFN ALL BDT CVE DZD GMD HTG KES KGS MZN NPR RSD RUB VUV XPF'],
  [200, 'DJF ETB GYD JMD LRD PKR'],
  [500, 'AMD CRC KMF KZT LKR SOS XAF XOF YER'],
  [1000, 'AOA CLP KRW NGN RWF'],
  [2000, 'ARS MWK TZS'],
  [5000, 'BIF CDF COP KHR MGA MMK MNT'],
  [10_000, 'GNF IDR PYG UZS'],
  [20_000, 'LAK STD VND'],
  [100_000, 'LBP'],
]

const SMALLEST: ReadonlyMap<string, number> = new Map(
  [...PUBLISHED, ...ROUND].flatMap(([units, currencies]) =>
    currencies.split(' ').map((currency) => [currency, Math.round(units * MICRO)] as const),
  ),
)

/**
 * The smallest amount that the provider charges, in micro-units. What is asked for below it is
 * refused, and an invoice counts as paid without a payment. Undefined if nobody can pay in this
 * currency.
 */
export function smallestCharge(currency: string): number | undefined {
  return minorUnit(currency) === undefined ? undefined : SMALLEST.get(currency)
}
