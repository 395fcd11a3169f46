import { formatCount } from '../format/number.ts'

/** "1 key", "3 keys". */
export function counted(count: number, one: string, many: string): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

/** A count that stopped at a bound: "100+ keys". */
export function countedUpTo(
  { count, more }: { readonly count: number; readonly more: boolean },
  one: string,
  many: string,
): string {
  return more ? `${formatCount(count)}+ ${many}` : counted(count, one, many)
}
