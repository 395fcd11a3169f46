import { changes, reads } from './audit.ts'

const names: Readonly<Record<string, string>> = { ...reads, ...changes }

/** What a filter offers. */
export const ACTIONS = Object.entries(changes).map(([value, label]) => ({ value, label }))

/** What was done, in words. An action that is not listed is shown as the API names it. */
export function actionName(action: string): string {
  return names[action] ?? action
}
