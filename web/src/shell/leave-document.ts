// The browser asks before it leaves a document with work in it that is saved nowhere.

let leaves = false
let isAsked = false

/** Fields that somebody has typed in. */
const typedIn = new Set<Element>()

document.addEventListener('input', ({ target }) => {
  for (const field of typedIn) if (!field.isConnected) typedIn.delete(field)
  if (target instanceof Element) typedIn.add(target)
})

/** Whether something would be lost with the page: a conversation, a dialog, or what was typed. */
export function hasWork(): boolean {
  const isFilled = (field: Element) =>
    field.isConnected && (!('value' in field) || field.value !== '')
  return isAsked || document.querySelector('dialog[open]') !== null || [...typedIn].some(isFilled)
}

/** Opens an address as a new document, and does not ask: the person has decided to leave. */
export function leaveFor(address: string): void {
  leaves = true
  location.assign(address)
}

function ask(event: BeforeUnloadEvent): void {
  if (!leaves) event.preventDefault()
}

/** While `isNeeded`, closing or reloading the tab asks first. */
export function askBeforeLeaving(isNeeded: boolean): void {
  isAsked = isNeeded
  if (isNeeded) addEventListener('beforeunload', ask)
  else removeEventListener('beforeunload', ask)
}
