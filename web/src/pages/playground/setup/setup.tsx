import { X } from 'lucide-react'
import { useRef, useSyncExternalStore } from 'react'
import { IconButton } from '../../../parts/button.tsx'
import { everywhere } from '../../../words/everywhere.ts'
import { playground } from '../../../words/playground.ts'
import { SettingsPanel, type SetupProps } from './settings-panel.tsx'
import styles from './setup.module.css'

const NARROW = matchMedia('(max-width: 68rem)')
const DRAWER_ID = 'playground-settings'

/** Beside the conversation, or behind a button where there is no room. */
export function Setup(props: SetupProps) {
  const drawer = useRef<HTMLDialogElement>(null)
  const isNarrow = useSyncExternalStore(
    (listen) => {
      NARROW.addEventListener('change', listen)
      return () => NARROW.removeEventListener('change', listen)
    },
    () => NARROW.matches,
  )
  // Two columns need the room.
  if (!isNarrow && props.second === undefined)
    return (
      <section className={styles.settings} aria-label={playground.settings}>
        <SettingsPanel {...props} />
      </section>
    )
  return (
    <dialog
      ref={drawer}
      id={DRAWER_ID}
      className={`drawer ${styles.settingsDrawer}`}
      aria-label={playground.settings}
      onClick={(event) => {
        if (event.target === event.currentTarget) event.currentTarget.close()
      }}
    >
      <div className={styles.settings}>
        <div className="row">
          <h2 className="h2">{playground.settings}</h2>
          <span className="push">
            <IconButton label={everywhere.close} onClick={() => drawer.current?.close()}>
              <X size={16} aria-hidden />
            </IconButton>
          </span>
        </div>
        <SettingsPanel {...props} />
      </div>
    </dialog>
  )
}

export function openSettings(): void {
  const drawer = document.getElementById(DRAWER_ID)
  if (drawer instanceof HTMLDialogElement) drawer.showModal()
}
