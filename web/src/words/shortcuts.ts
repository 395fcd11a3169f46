/** As it is printed on a keyboard of the language. */
export const controlKey = 'Ctrl'
export const goToShortcut = 'Go to a page, a name or a request, or run an action'

/** What to press, and what it does. */
export const shortcutList = [
  ['g then k', 'API keys'],
  ['g then o', 'Overview'],
  ['g then p', 'Playground'],
  ['g then u', 'Usage'],
  ['g then r', 'Requests'],
  ['Esc', 'Close a dialog, stop a stream'],
  ['?', 'This list'],
] as const
