import { useNavigate } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { useState } from 'react'
import { useOrganization } from '../../shell/organization.tsx'
import { requests as words } from '../../words/requests.ts'
import styles from './requests.module.css'

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i

/** Takes any request id, also out of a pasted header or log line, and opens its page. */
export function PasteId() {
  const { slug } = useOrganization()
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const [wrong, setWrong] = useState(false)
  const open = (given: string) => {
    const id = ID.exec(given.slice(0, 1000))?.[0]?.toLowerCase()
    if (id !== undefined)
      void navigate({ to: '/o/$slug/requests/$request', params: { slug, request: id } })
    return id !== undefined
  }
  return (
    <form
      className={styles.pasteId}
      onSubmit={(event) => {
        event.preventDefault()
        setWrong(!open(text))
      }}
    >
      <span className={wrong ? 'input invalid' : 'input'}>
        <Search size={14} aria-hidden />
        <input
          type="search"
          aria-label={words.pasteId}
          aria-describedby={wrong ? 'paste-id-error' : undefined}
          placeholder={words.pasteId}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value)
            setWrong(false)
          }}
          onPaste={(event) => {
            if (open(event.clipboardData.getData('text'))) event.preventDefault()
          }}
        />
      </span>
      {wrong && (
        <p className="field-error" id="paste-id-error" role="alert">
          {words.notAnId}
        </p>
      )}
    </form>
  )
}
