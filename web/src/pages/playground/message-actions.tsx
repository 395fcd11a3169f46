import { GitBranch, Pencil, RefreshCw, Trash2 } from 'lucide-react'
import { IconButton } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { say } from '../../parts/toast.tsx'
import { playground } from '../../words/playground.ts'
import styles from './talk.module.css'

const words = playground.actions

/** What one can do with a message; each of them changes one column only. */
export type Actions = {
  readonly regenerate: (id: number) => void
  readonly edit: (id: number, text: string) => void
  readonly branch: (id: number) => void
  readonly remove: (id: number) => void
}

/** The buttons of one message. While an answer is running, only copying is possible. */
export function MessageActions({
  text,
  disabled,
  onRegenerate,
  onEdit,
  onBranch,
  onRemove,
}: {
  readonly text: string
  readonly disabled: boolean
  readonly onRegenerate?: () => void
  readonly onEdit?: () => void
  readonly onBranch: () => void
  readonly onRemove: () => void
}) {
  return (
    <span className={styles.messageActions} data-shows="actions">
      {text !== '' && <CopyButton value={text} what={words.message} />}
      {onEdit !== undefined && (
        <IconButton label={words.edit} disabled={disabled} onClick={onEdit}>
          <Pencil size={14} aria-hidden />
        </IconButton>
      )}
      {onRegenerate !== undefined && (
        <IconButton label={words.regenerate} disabled={disabled} onClick={onRegenerate}>
          <RefreshCw size={14} aria-hidden />
        </IconButton>
      )}
      <IconButton label={words.branch} disabled={disabled} onClick={onBranch}>
        <GitBranch size={14} aria-hidden />
      </IconButton>
      <IconButton label={words.remove} disabled={disabled} onClick={onRemove}>
        <Trash2 size={14} aria-hidden />
      </IconButton>
    </span>
  )
}

/** Says what was dropped from the conversation, with a button that brings it back. */
export function sayDropped(text: string, undo: () => void): void {
  say(text, { label: words.undo, onSelect: undo })
}
