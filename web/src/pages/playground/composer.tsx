import { Eraser, Send, Square } from 'lucide-react'
import { useEffect, useRef, type KeyboardEvent } from 'react'
import type { Money } from '../../api/routes.ts'
import { formatMoney } from '../../format/number.ts'
import { Button } from '../../parts/button.tsx'
import { playground } from '../../words/playground.ts'
import { sayDropped } from './message-actions.tsx'
import { isEmpty, type Talk, type TalkState } from './talk.ts'
import styles from './talk.module.css'

const words = playground.composer

/** The field for the next message. Enter sends, Shift + Enter begins a line, Escape stops. */
export function Composer({
  talk,
  state,
  running,
  most,
  problem,
  waitsForResults,
}: {
  readonly talk: Talk
  readonly state: TalkState
  readonly running: boolean
  /** The most that the message costs with all columns; null: free of charge. */
  readonly most: Money | null
  /** Why nothing can be sent. */
  readonly problem: string | undefined
  readonly waitsForResults: boolean
}) {
  const field = useRef<HTMLTextAreaElement>(null)
  useEscapeToStop(talk, running)
  const { draft } = state
  const canSend = draft.trim() !== '' && problem === undefined && !waitsForResults
  const send = () => {
    if (canSend) talk.send(draft)
    field.current?.focus()
  }
  const clear = () => sayDropped(words.cleared, talk.clear())
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  return (
    <div className={styles.composer} data-shows="composer">
      <div className={styles.composerBox}>
        {state.queued !== null && (
          <p className={`${styles.queued} xs ink-3`}>
            {words.queued} <span className="ink-2">{state.queued}</span>
          </p>
        )}
        <textarea
          ref={field}
          rows={2}
          aria-label={words.label}
          placeholder={placeholderOf(running, waitsForResults)}
          value={draft}
          onChange={(event) => talk.change({ draft: event.currentTarget.value })}
          onKeyDown={onKeyDown}
        />
        <div className="row">
          <Button look="ghost" size="sm" disabled={isEmpty(state)} onClick={clear}>
            <Eraser size={14} aria-hidden /> {words.clear}
          </Button>
          <span className="push xs ink-3 num" role="status">
            {problem ?? costLine(most, running)}
          </span>
          {running ? (
            <Button onClick={() => talk.stop()}>
              <Square size={14} aria-hidden /> {words.stop} <kbd className="kbd">Esc</kbd>
            </Button>
          ) : (
            <Button look="primary" disabled={!canSend} onClick={send}>
              <Send size={14} aria-hidden /> {words.send}
            </Button>
          )}
        </div>
      </div>
    </div>
  )
}

function placeholderOf(running: boolean, waitsForResults: boolean): string {
  if (waitsForResults) return words.results
  return running ? words.next : words.placeholder
}

function costLine(most: Money | null, running: boolean): string {
  if (most === null) return words.free
  const money = formatMoney(most, 6)
  return running ? words.reserved(money) : words.most(money)
}

/** Escape closes what is open first: a dialog or a menu takes the key before the page does. */
function useEscapeToStop(talk: Talk, running: boolean): void {
  useEffect(() => {
    if (!running) return
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return
      if (document.querySelector('dialog[open], [role="menu"]') === null) talk.stop()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [talk, running])
}
