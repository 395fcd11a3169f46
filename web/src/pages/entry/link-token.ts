type LinkPage = 'sign-in' | 'sign-up' | 'verify' | 'reset' | 'join'

/** In memory only, so that an invitation is still known after signing in. */
const held = new Map<LinkPage, string>()

/**
 * The token of a link such as /verify#token=…; it leaves the address and the history at once. The
 * link of a sign-up may hold an invitation too, which the person goes on to.
 */
export function takeToken(page: LinkPage): string | undefined {
  const given = new URLSearchParams(location.hash.slice(1))
  const token = given.get('token')
  if (token !== null) {
    held.set(page, token)
    const invitation = given.get('invitation')
    if (invitation !== null) held.set('join', invitation)
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
