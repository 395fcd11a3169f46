const DECIMALS = 6
const MICRO = 1_000_000n
/** At most nine digits of units: in micro-units they stay far below 2^53. */
const AMOUNT = /^(-?)(\d{1,9})(?:\.(\d{1,6}))?$/
const FORMATTED_DECIMALS_MIN = 2

/** An amount such as `12.50` in micro-units, exactly; undefined if it is malformed. */
export function parseAmount(text: string): number | undefined {
  const parts = AMOUNT.exec(text)
  if (parts === null) return undefined
  const [, sign, units = '', decimals = ''] = parts
  const micro = BigInt(units) * MICRO + BigInt(decimals.padEnd(DECIMALS, '0'))
  // Negated as a bigint, so that the result is never -0, which prints and compares differently.
  return Number(sign === '-' ? -micro : micro)
}

/** Micro-units as an amount with two decimals, or more if they are not zero. */
export function formatAmount(micro: number): string {
  const digits = String(Math.abs(micro)).padStart(DECIMALS + 1, '0')
  const decimals = digits.slice(-DECIMALS).replace(/0+$/, '').padEnd(FORMATTED_DECIMALS_MIN, '0')
  return `${micro < 0 ? '-' : ''}${digits.slice(0, -DECIMALS)}.${decimals}`
}
