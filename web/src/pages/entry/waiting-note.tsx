import { useState, type SubmitEvent } from 'react'
import { useChange } from '../../api/use-api.ts'
import { Button } from '../../parts/button.tsx'
import { errorAt, TextArea } from '../../parts/field.tsx'
import { say } from '../../parts/toast.tsx'
import { entry } from '../../words/entry.ts'
import { DoorNote } from './door.tsx'
import styles from './entry.module.css'

const words = entry.waiting
const NOTE_MAX = 500

/**
 * Who somebody is and what they want to do: the operator reads it beside the address. It has its
 * place before it is known what was written, so that nothing moves.
 */
export function WaitingNote({ known }: { readonly known: string | null }) {
  const [typed, setTyped] = useState<string | null>(null)
  const note = typed ?? known ?? ''
  const change = useChange('PATCH /me', ['GET /me'])
  const wanted = note.trim()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    change.mutate(
      { body: { waiting_note: wanted === '' ? null : wanted } },
      { onSuccess: () => say(words.noteSaved) },
    )
  }
  const atNote = errorAt(change.error, 'waiting_note')
  return (
    <form className={styles.doorFields} onSubmit={submit} noValidate>
      <DoorNote fault={atNote === undefined ? change.error : null} />
      <TextArea
        label={words.note}
        hint={words.noteHint}
        optional
        rows={3}
        maxLength={NOTE_MAX}
        value={note}
        error={atNote}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Button
        type="submit"
        size="lg"
        block
        busy={change.isPending}
        disabled={wanted === (known ?? '')}
      >
        {words.saveNote}
      </Button>
    </form>
  )
}
