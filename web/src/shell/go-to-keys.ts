import { controlKey } from '../words/shortcuts.ts'

/** What opens "Go to" on this computer, as its keyboard names it. */
export const GO_TO_KEYS = `${/mac|iphone|ipad/i.test(navigator.platform) ? '⌘' : controlKey} K`
