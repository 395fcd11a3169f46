/** Blanks and apostrophes that group digits in some countries. */
const GROUPING = /[\s'’]/g
const GROUPED_BY_COMMA = /^\d{1,3}(?:,\d{3})+$/

/**
 * An amount as the API takes it, "1250.50", from what people type: 12,50 as well as 1,250.50 and
 * 1.250,50. What could mean two amounts, such as 1,250, stays as it is, and the API refuses it.
 */
export function readAmount(text: string): string {
  const plain = text.trim().replaceAll(GROUPING, '')
  const [comma, dot] = [plain.lastIndexOf(','), plain.lastIndexOf('.')]
  if (comma === -1 || GROUPED_BY_COMMA.test(plain)) return plain
  if (dot > comma) return plain.replaceAll(',', '')
  return plain.replaceAll('.', '').replace(',', '.')
}

const PLAIN = /^-?\d{1,9}(?:\.\d{0,6})?$/

/** An amount in millionths, or undefined while it is incomplete or no amount. */
export function readMicro(text: string): number | undefined {
  const plain = readAmount(text)
  return PLAIN.test(plain) ? Math.round(Number(plain) * 1_000_000) : undefined
}
