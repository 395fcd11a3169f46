import { useState } from 'react'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { TextArea } from '../../../parts/field.tsx'
import { playground } from '../../../words/playground.ts'
import type { ReadJson } from './read-json.ts'
import styles from './setup.module.css'

const INDENT = 2

/** Edits a value as JSON. It is saved only if the API would take it. */
export function JsonDialog<Value>({
  title,
  hint,
  value,
  read,
  onSave,
  onClose,
}: {
  readonly title: string
  readonly hint: string
  readonly value: Value
  readonly read: (text: string) => ReadJson<Value>
  readonly onSave: (value: Value) => void
  readonly onClose: () => void
}) {
  const [text, setText] = useState(() => JSON.stringify(value, null, INDENT))
  const [error, setError] = useState<string>()
  const save = () => {
    const result = read(text)
    if (result.error !== undefined) return setError(result.error)
    onSave(result.value)
    onClose()
  }
  return (
    <FormDialog
      wide
      title={title}
      description={hint}
      onClose={onClose}
      onSubmit={() => {
        save()
      }}
      submit={playground.json.save}
    >
      <div className={styles.jsonEdit}>
        <TextArea
          label={playground.json.text}
          rows={16}
          spellCheck={false}
          value={text}
          {...(error !== undefined && { error })}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value)
            setError(undefined)
          }}
        />
      </div>
    </FormDialog>
  )
}
