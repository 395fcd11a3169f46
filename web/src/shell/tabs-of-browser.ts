// Tabs of one browser share the cookie, so they tell each other when it changes.

type Change = 'signed-in' | 'signed-out'

const channel = new BroadcastChannel('headrace-session')

export function tellOtherTabs(change: Change): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- no window
  channel.postMessage(change)
}

/** Calls back when another tab signed in or out. */
export function onOtherTab(change: Change, listen: () => void): () => void {
  const onMessage = (event: MessageEvent<unknown>) => {
    if (event.data === change) listen()
  }
  channel.addEventListener('message', onMessage)
  return () => channel.removeEventListener('message', onMessage)
}
