import { Check, X } from 'lucide-react'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { everywhere } from '../words/everywhere.ts'
import { Button, IconButton } from './button.tsx'
import styles from './toast.module.css'

const SHOWN_MS = 6000
/** Longer if it offers something: one has to read it and to get there. */
const SHOWN_WITH_ACTION_MS = 20_000
const SHOWN_MAX = 3

type Action = { readonly label: string; readonly onSelect: () => void }
type Note = { readonly id: number; readonly text: string; readonly action: Action | undefined }

let notes: readonly Note[] = []
let lastId = 0
const listeners = new Set<() => void>()

function show(next: readonly Note[]): void {
  notes = next
  for (const listen of listeners) listen()
}

/** Says politely that something was done. Beyond three, the oldest leaves. */
export function say(text: string, action?: Action): void {
  lastId += 1
  show([...notes, { id: lastId, text, action }].slice(-SHOWN_MAX))
}

function leave(id: number): void {
  show(notes.filter((note) => note.id !== id))
}

/** The place of the notes, in the browser's top layer so that dialogs do not cover them. */
export function Toasts() {
  const shown = useSyncExternalStore(
    (listen) => {
      listeners.add(listen)
      return () => listeners.delete(listen)
    },
    () => notes,
  )
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const place = box.current
    if (place === null) return
    place.hidePopover()
    if (shown.length > 0) place.showPopover()
  }, [shown])
  return (
    <div ref={box} popover="manual" className={styles.toasts} role="status" aria-live="polite">
      {shown.map((note) => (
        <Toast key={note.id} note={note} />
      ))}
    </div>
  )
}

/** It stays while the pointer or the focus is on it. */
function Toast({ note }: { readonly note: Note }) {
  const [held, setHeld] = useState(false)
  useEffect(() => {
    if (held) return
    const shownMs = note.action === undefined ? SHOWN_MS : SHOWN_WITH_ACTION_MS
    const timer = setTimeout(() => leave(note.id), shownMs)
    return () => clearTimeout(timer)
  }, [held, note])
  return (
    <div
      className={styles.toast}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <Check size={16} aria-hidden />
      <span className="grow">{note.text}</span>
      {note.action !== undefined && <ActionButton id={note.id} action={note.action} />}
      <IconButton label={everywhere.close} onClick={() => leave(note.id)}>
        <X size={14} aria-hidden />
      </IconButton>
    </div>
  )
}

function ActionButton({ id, action }: { readonly id: number; readonly action: Action }) {
  const select = () => {
    leave(id)
    action.onSelect()
  }
  return (
    <Button size="sm" onClick={select}>
      {action.label}
    </Button>
  )
}
