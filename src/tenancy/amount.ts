const DECIMALS = 6
const MICRO = 1_000_000n
/** Nine digits of units in micro-units stay far below 2^53. */
const AMOUNT = /^(-?)(\d{1,9})(?:\.(\d{1,6}))?$/
const SHOWN_DECIMALS_MIN = 2

/** `12.50` of the currency in micro-units, exactly; undefined for what is no such amount. */
export function parseAmount(text: string): number | undefined {
  const parts = AMOUNT.exec(text)
  if (parts === null) return undefined
  const [, sign, units = '', decimals = ''] = parts
  const micro = BigInt(units) * MICRO + BigInt(decimals.padEnd(DECIMALS, '0'))
  // Not -0, which prints and compares differently.
  return Number(sign === '-' ? -micro : micro)
}

/** Micro-units as an amount of the currency: two decimals, and more where they are not zero. */
export function formatAmount(micro: number): string {
  const digits = String(Math.abs(micro)).padStart(DECIMALS + 1, '0')
  const decimals = digits.slice(-DECIMALS).replace(/0+$/, '').padEnd(SHOWN_DECIMALS_MIN, '0')
  return `${micro < 0 ? '-' : ''}${digits.slice(0, -DECIMALS)}.${decimals}`
}
