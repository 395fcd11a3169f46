import { lazyRouteComponent } from '@tanstack/react-router'

/** The code of a page could not be loaded: no network, or another version was deployed. */
export class PageNotLoaded extends Error {
  override readonly name = 'PageNotLoaded'
}

/** A page whose code is loaded when somebody goes to it. */
export const lazyPage: typeof lazyRouteComponent = (importer, name) =>
  lazyRouteComponent(
    () =>
      importer().catch((cause: unknown) => {
        // The router would reload the page for some of these errors, also without a network.
        throw new PageNotLoaded('a page could not be loaded', { cause })
      }),
    name,
  )

const RELOADED_AT = 'headrace:reloaded-at'
/** A page that fails again within this time is not reloaded again. */
const ONCE_MS = 60_000

/** Reloads the page, unless that was tried a short time ago. Returns whether it does. */
export function reloadOnce(): boolean {
  const last = Number(sessionStorage.getItem(RELOADED_AT) ?? 0)
  if (Date.now() - last < ONCE_MS) return false
  sessionStorage.setItem(RELOADED_AT, String(Date.now()))
  location.reload()
  return true
}
