import { useNavigate } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react'
import type { Me } from '../api/routes.ts'
import { goTo as words } from '../words/go-to.ts'
import { useDestinations, type Destination } from './destinations.ts'
import styles from './go-to.module.css'

type Props = { readonly me: Me; readonly onClose: () => void }

/** Ctrl K: a combobox over everything one can go to or do. The focus stays in its field. */
export function GoTo({ me, onClose }: Props) {
  const id = useId()
  const box = useModal()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const found = useDestinations(me, text)
  const current = found[Math.min(chosen, found.length - 1)]
  const navigate = useNavigate()
  const go = (destination: Destination) => {
    onClose()
    if ('act' in destination) destination.act()
    else {
      const { to, params, search, hash } = destination
      void navigate({ to, params, search: search ?? {}, hash } as never)
    }
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const at = current === undefined ? 0 : found.indexOf(current)
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (step !== undefined && found.length > 0) {
      event.preventDefault()
      setChosen((at + step + found.length) % found.length)
    } else if (event.key === 'Enter' && current !== undefined) {
      event.preventDefault()
      go(current)
    }
  }
  return (
    <dialog
      ref={box}
      className={styles.palette}
      aria-label={words.title}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose()
      }}
    >
      <div className={styles.paletteIn}>
        <Search size={16} aria-hidden />
        <input
          role="combobox"
          aria-label={words.title}
          aria-expanded
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={current === undefined ? undefined : `${id}-${current.id}`}
          autoComplete="off"
          spellCheck={false}
          placeholder={words.placeholder}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value)
            setChosen(0)
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <Found id={id} found={found} current={current} onGo={go} />
      <p className="sr" role="status">
        {words.results(found.length)}
      </p>
      <Hints />
    </dialog>
  )
}

function Hints() {
  return (
    <div className={styles.paletteFoot} aria-hidden>
      {words.hints.map(([key, does]) => (
        <span key={key}>
          <kbd className="kbd">{key}</kbd> {does}
        </span>
      ))}
    </div>
  )
}

function Found({
  id,
  found,
  current,
  onGo,
}: {
  readonly id: string
  readonly found: readonly Destination[]
  readonly current: Destination | undefined
  readonly onGo: (destination: Destination) => void
}) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector('.on')?.scrollIntoView({ block: 'nearest' })
  }, [current])
  const groups = [...new Set(found.map(({ group }) => group))]
  return (
    <div
      ref={list}
      id={`${id}-list`}
      className={styles.paletteList}
      role="listbox"
      aria-label={words.title}
    >
      {found.length === 0 && <p className={styles.paletteNone}>{words.nothing}</p>}
      {groups.map((group) => (
        <div key={group} role="group" aria-labelledby={`${id}-group-${group}`}>
          <div className={styles.paletteH} id={`${id}-group-${group}`}>
            {words.groups[group]}
          </div>
          {found
            .filter((each) => each.group === group)
            .map((each) => (
              <Item
                key={each.id}
                id={`${id}-${each.id}`}
                destination={each}
                isCurrent={each === current}
                onGo={onGo}
              />
            ))}
        </div>
      ))}
    </div>
  )
}

function Item({
  id,
  destination,
  isCurrent,
  onGo,
}: {
  readonly id: string
  readonly destination: Destination
  readonly isCurrent: boolean
  readonly onGo: (destination: Destination) => void
}) {
  const { icon: Icon, label, more } = destination
  return (
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isCurrent}
      className={isCurrent ? `${styles.paletteI} ${styles.on}` : styles.paletteI}
      onClick={() => onGo(destination)}
    >
      <Icon size={16} aria-hidden />
      <span className="cut">{label}</span>
      {more !== undefined && <span className="push cut">{more}</span>}
    </div>
  )
}

/** Opens as modal, and gives the focus back at the end. */
function useModal() {
  const box = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = box.current
    const opener = document.activeElement
    dialog?.showModal()
    dialog?.querySelector('input')?.focus()
    return () => {
      dialog?.close()
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])
  return box
}
