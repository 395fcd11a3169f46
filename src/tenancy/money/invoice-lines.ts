/** A line of an invoice: a model, or what the models do not explain. */
export type InvoiceLine = {
  /** Null: all other models together. `balance`: what was on the balance before the month. */
  readonly about: { readonly model: string | null } | 'balance'
  /** Whole minor units. */
  readonly minor: number
}

type ModelCost = { readonly model: string; readonly cost: number }

/** Stripe takes 250. Models beyond these are one line, and the balance is one more. */
const MODEL_LINES_MAX = 198

/**
 * Divides what is due into lines that add up to it: one for each model by largest remainders, and
 * one for what was on the balance before, if that was more than is lost by rounding. Costs are
 * micro-units and come dearest first; `unit` is how many of them are a minor unit.
 */
export function invoiceLines(
  due: number,
  costs: readonly ModelCost[],
  unit: number,
): readonly InvoiceLine[] {
  const sum = costs.reduce((total, { cost }) => total + cost, 0)
  const isAll = Math.abs(due * unit - sum) < unit
  const used = isAll ? due : Math.floor(sum / unit)
  const shown = costs.slice(0, MODEL_LINES_MAX)
  const rest = costs.slice(MODEL_LINES_MAX).reduce((total, { cost }) => total + cost, 0)
  const all: readonly { model: string | null; cost: number }[] =
    rest === 0 ? shown : [...shown, { model: null, cost: rest }]
  const lines: InvoiceLine[] = divide(used, all, unit).map((minor, at) => ({
    about: { model: all[at]!.model },
    minor,
  }))
  if (used !== due) lines.push({ about: 'balance', minor: due - sumOf(lines) })
  return lines.filter(({ minor }) => minor !== 0)
}

/** Each is rounded down; what is missing then goes to those that lost most. */
function divide(
  whole: number,
  parts: readonly { readonly cost: number }[],
  unit: number,
): readonly number[] {
  const floors = parts.map(({ cost }) => Math.floor(cost / unit))
  const order = parts
    .map(({ cost }, at) => ({ at, lost: cost - floors[at]! * unit }))
    .toSorted((a, b) => b.lost - a.lost || a.at - b.at)
  let missing = whole - floors.reduce((total, minor) => total + minor, 0)
  const shares = [...floors]
  for (const { at } of order) {
    if (missing <= 0) break
    shares[at]! += 1
    missing -= 1
  }
  return shares
}

function sumOf(lines: readonly InvoiceLine[]): number {
  return lines.reduce((total, { minor }) => total + minor, 0)
}
