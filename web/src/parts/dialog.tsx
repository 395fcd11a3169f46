import { X } from 'lucide-react'
import { useEffect, useId, useRef, type ReactNode } from 'react'
import { everywhere } from '../words/everywhere.ts'
import styles from './dialog.module.css'

export type DialogProps = {
  readonly open: boolean
  readonly onClose: () => void
  readonly title: string
  readonly description?: ReactNode
  readonly wide?: boolean
  /** At the end of the window, as high as it. */
  readonly side?: boolean
  /** The dialog shows what cannot be shown again: only its own button closes it. */
  readonly keepOpen?: boolean
  /** For dialogs that confirm a destructive act. */
  readonly alert?: boolean
  readonly children: ReactNode
}

/**
 * The browser's own modal dialog: it keeps the focus inside, closes on Escape and gives the focus
 * back to what opened it. Its children are `DialogBody` and `DialogFoot`, or a form with both.
 */
export function Dialog({ open, onClose, title, description, children, ...kind }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  const textId = useId()
  useEffect(() => {
    const dialog = box.current
    if (!open || dialog === null) return
    const opener = document.activeElement
    // One backdrop is enough, whatever is open below.
    const below = document.querySelectorAll('dialog[open]:not([data-below])')
    for (const each of below) each.setAttribute('data-below', '')
    dialog.showModal()
    dialog
      .querySelector<HTMLElement>(
        '[data-shows=fields] :is(input:not([tabindex]), select, textarea)',
      )
      ?.focus()
    return () => {
      dialog.close()
      for (const each of below) each.removeAttribute('data-below')
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [open])
  if (!open) return null
  const leave = () => {
    if (kind.keepOpen !== true) onClose()
  }
  return (
    <dialog
      ref={box}
      className={classOf(kind)}
      role={kind.alert === true ? 'alertdialog' : undefined}
      aria-labelledby={titleId}
      aria-describedby={description === undefined ? undefined : textId}
      onCancel={(event) => {
        event.preventDefault()
        leave()
      }}
      onPointerDown={(event) => {
        if (event.target === event.currentTarget && isOutside(event)) leave()
      }}
    >
      <div className={styles.dialogHead}>
        <div>
          <h2 id={titleId}>{title}</h2>
          {description !== undefined && <p id={textId}>{description}</p>}
        </div>
        {kind.keepOpen !== true && (
          <button type="button" className="iconbtn" aria-label={everywhere.close} onClick={onClose}>
            <X size={16} aria-hidden />
          </button>
        )}
      </div>
      {children}
    </dialog>
  )
}

function classOf({ wide, side }: Pick<DialogProps, 'wide' | 'side'>): string | undefined {
  if (side === true) return `${styles.dialog} ${styles.side}`
  return wide === true ? `${styles.dialog} ${styles.wide}` : styles.dialog
}

/** A press on the backdrop has the dialog as its target, outside of its box. */
function isOutside(event: React.PointerEvent<HTMLDialogElement>): boolean {
  const { left, right, top, bottom } = event.currentTarget.getBoundingClientRect()
  const { clientX: x, clientY: y } = event
  return x < left || x > right || y < top || y > bottom
}

export function DialogBody({ children }: { readonly children: ReactNode }) {
  return (
    <div className={styles.dialogBody} data-shows="fields">
      {children}
    </div>
  )
}

export function DialogFoot({ children }: { readonly children: ReactNode }) {
  return <div className={styles.dialogFoot}>{children}</div>
}
