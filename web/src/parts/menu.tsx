import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'

type Props = {
  /** What the button shows. */
  readonly trigger: ReactNode
  readonly label?: string
  readonly className?: string | undefined
  readonly align?: 'start' | 'end'
  /** `MenuItem`, `MenuLink` and `<hr />`. */
  readonly children: ReactNode
}

const GAP = 4

/** A menu in the browser's top layer (popover): arrows move, Escape and a choice close it. */
export function Menu({ trigger, label, className = 'iconbtn', align = 'end', children }: Props) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const [open, setOpen] = useState(false)
  useEffect(() => {
    const menu = list.current
    if (!open || menu === null) return
    menu.showPopover()
    place(menu, button.current!, align)
    itemsOf(menu)[0]?.focus()
    const onToggle = (event: Event) => {
      if ((event as ToggleEvent).newState === 'closed') setOpen(false)
    }
    menu.addEventListener('toggle', onToggle)
    return () => menu.removeEventListener('toggle', onToggle)
  }, [open, align])
  const close = (refocus: boolean) => {
    list.current?.hidePopover()
    setOpen(false)
    if (refocus) button.current?.focus()
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        {trigger}
      </button>
      {open && (
        <div
          ref={list}
          id={id}
          popover="auto"
          role="menu"
          className="menu"
          aria-label={label}
          tabIndex={-1}
          onKeyDown={(event) => moveFocus(event, close)}
          onClick={() => close(true)}
        >
          {children}
        </div>
      )}
    </>
  )
}

export function MenuItem({
  onSelect,
  tone,
  checked,
  children,
}: {
  readonly onSelect: () => void
  readonly tone?: 'bad'
  /** For one choice of several. */
  readonly checked?: boolean
  readonly children: ReactNode
}) {
  return (
    <button
      type="button"
      role={checked === undefined ? 'menuitem' : 'menuitemradio'}
      aria-checked={checked}
      tabIndex={-1}
      className={tone}
      onClick={onSelect}
    >
      {children}
    </button>
  )
}

function itemsOf(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>('[role^="menuitem"]')]
}

function moveFocus(event: KeyboardEvent<HTMLElement>, close: (refocus: boolean) => void): void {
  const items = itemsOf(event.currentTarget)
  const at = items.indexOf(document.activeElement as HTMLElement)
  const targets: Record<string, number> = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (at - 1 + items.length) % items.length,
    Home: 0,
    End: items.length - 1,
  }
  const next = targets[event.key]
  if (next !== undefined) {
    event.preventDefault()
    items[next]?.focus()
  } else if (event.key === 'Escape') {
    event.preventDefault()
    event.stopPropagation()
    close(true)
  } else if (event.key === 'Tab') close(false)
}

/** Below the button, or above it where there is no room. */
function place(menu: HTMLElement, button: HTMLElement, align: 'start' | 'end'): void {
  const at = button.getBoundingClientRect()
  const { offsetWidth: width, offsetHeight: height } = menu
  const below = at.bottom + GAP
  const fits = below + height <= window.innerHeight
  menu.style.top = `${fits ? below : Math.max(GAP, at.top - GAP - height)}px`
  const left = align === 'start' ? at.left : at.right - width
  menu.style.left = `${Math.min(Math.max(GAP, left), window.innerWidth - width - GAP)}px`
}
