/** What to press, and what it does. */
export const shortcutList = [
  ['Ctrl K or ⌘ K', 'Go to a page, a key, a project or a request'],
  ['g then k', 'API keys'],
  ['g then o', 'Overview'],
  ['g then p', 'Playground'],
  ['g then u', 'Usage'],
  ['g then r', 'Requests'],
  ['Esc', 'Close a dialog, stop a stream'],
  ['?', 'This list'],
] as const
