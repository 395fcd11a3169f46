type LinkPage = 'sign-in' | 'sign-up' | 'verify' | 'reset' | 'join'

/** In memory only, so that an invitation is still known after signing in. */
const held = new Map<LinkPage, string>()

/** The token of a link such as /verify#token=…; it leaves the address and the history at once. */
export function takeToken(page: LinkPage): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token !== null) {
    held.set(page, token)
    history.replaceState(history.state, '', `${location.pathname}${location.search}`)
  }
  return held.get(page)
}

/** It was used, or does not work. */
export function dropToken(page: LinkPage): void {
  held.delete(page)
}

let invited = ''

/** The address of an invitation, so that it need not be typed. Empty without one. */
export function invitedAddress(): string {
  return invited
}

export function holdInvitedAddress(email: string): void {
  invited = email
}
