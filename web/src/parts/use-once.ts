import { useEffect } from 'react'

/** Acts once, as soon as something holds. */
export function useOnce(holds: boolean, act: () => void): void {
  useEffect(() => {
    if (holds) act()
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once
  }, [holds])
}
