import { formatCount, formatDecimal } from '../../../format/number.ts'
import { playground } from '../../../words/playground.ts'

const KILO = 1000

/** A size in kB, or in bytes where kB would have no digits. */
export function sizeText(bytes: number): string {
  return bytes < KILO
    ? playground.bytes(formatCount(bytes))
    : playground.kilobytes(formatDecimal(bytes / KILO, 1))
}
