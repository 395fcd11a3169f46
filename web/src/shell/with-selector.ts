import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react'

/**
 * The function of this name that the router's store takes from use-sync-external-store, in whose
 * place it is built (vite.config.ts): React has the rest built in, and every page would load it.
 */
export function useSyncExternalStoreWithSelector<Snapshot, Selection>(
  subscribe: (listen: () => void) => () => void,
  getSnapshot: () => Snapshot,
  _getServerSnapshot: unknown,
  selector: (snapshot: Snapshot) => Selection,
  isEqual?: (one: Selection, other: Selection) => boolean,
): Selection {
  // The last selection that was shown, because selectors are new with every render.
  const shown = useRef<{ readonly selection: Selection } | null>(null)
  const read = useMemo(() => {
    let last: { readonly snapshot: Snapshot; readonly selection: Selection } | null = null
    return () => {
      const snapshot = getSnapshot()
      if (last !== null && Object.is(last.snapshot, snapshot)) return last.selection
      const known = last ?? shown.current
      const next = selector(snapshot)
      const same = known !== null && isEqual?.(known.selection, next) === true
      last = { snapshot, selection: same ? known.selection : next }
      return last.selection
    }
  }, [getSnapshot, selector, isEqual])
  const selection = useSyncExternalStore(subscribe, read)
  useEffect(() => {
    shown.current = { selection }
  }, [selection])
  return selection
}
