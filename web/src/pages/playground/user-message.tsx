import { useState, type KeyboardEvent } from 'react'
import { Button } from '../../parts/button.tsx'
import { everywhere } from '../../words/everywhere.ts'
import { playground } from '../../words/playground.ts'
import { MessageActions, type Actions } from './message-actions.tsx'
import type { UserEntry } from './columns.ts'
import styles from './talk.module.css'

/** A message of the person; edited, it is sent again in place of all that follows it. */
export function UserMessage({
  entry,
  actions,
  disabled,
}: {
  readonly entry: UserEntry
  readonly actions: Actions
  readonly disabled: boolean
}) {
  const [edited, setEdited] = useState<string | null>(null)
  const send = (text: string) => {
    setEdited(null)
    actions.edit(entry.id, text)
  }
  return (
    <article className={`${styles.turn} ${styles.user}`} aria-label={playground.you}>
      <div className={styles.turnHead}>
        <span className={styles.who}>{playground.you}</span>
        <MessageActions
          text={entry.text}
          disabled={disabled}
          onEdit={() => setEdited(entry.text)}
          onBranch={() => actions.branch(entry.id)}
          onRemove={() => actions.remove(entry.id)}
        />
      </div>
      {edited === null ? (
        <p>{entry.text}</p>
      ) : (
        <EditForm
          text={edited}
          disabled={disabled}
          onChange={setEdited}
          onSend={send}
          onCancel={() => setEdited(null)}
        />
      )}
    </article>
  )
}

function EditForm({
  text,
  disabled,
  onChange,
  onSend,
  onCancel,
}: {
  readonly text: string
  readonly disabled: boolean
  readonly onChange: (text: string) => void
  readonly onSend: (text: string) => void
  readonly onCancel: () => void
}) {
  const canSend = text.trim() !== '' && !disabled
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') onCancel()
    if (event.key !== 'Enter' || event.shiftKey) return
    event.preventDefault()
    if (canSend) onSend(text)
  }
  return (
    <div className={styles.editForm}>
      <textarea
        className="input"
        rows={3}
        aria-label={playground.actions.editLabel}
        value={text}
        ref={focusEnd}
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div className="row">
        <span className="push row">
          <Button size="sm" look="ghost" onClick={onCancel}>
            {everywhere.cancel}
          </Button>
          <Button size="sm" look="primary" disabled={!canSend} onClick={() => onSend(text)}>
            {playground.actions.sendEdited}
          </Button>
        </span>
      </div>
    </div>
  )
}

/** Only when the field appears: React calls a function of the module once for each element. */
function focusEnd(field: HTMLTextAreaElement | null): void {
  field?.focus()
  field?.setSelectionRange(field.value.length, field.value.length)
}
