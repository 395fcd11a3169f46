import { LOCALE } from '../format/locale.ts'
import { actionName, ACTIONS } from './action-names.ts'
import { outside } from './operator-audit.ts'

const names: Readonly<Record<string, string>> = outside

/** What the filter of the operator’s log offers. */
export const OPERATOR_ACTIONS = [
  ...Object.entries(outside).map(([value, label]) => ({ value, label })),
  ...ACTIONS,
].toSorted((one, other) => one.label.localeCompare(other.label, LOCALE))

export function operatorActionName(action: string): string {
  return names[action] ?? actionName(action)
}
