import { useState, type ReactNode } from 'react'
import { Ask } from '../../parts/ask.tsx'
import { Button } from '../../parts/button.tsx'
import type { Making } from '../../parts/make-change.ts'
import { useOrganization } from '../../shell/organization.tsx'

/** A form whose change may lock people out: it says what follows, and asks, before it saves. */
export function AskedForm<Answer, Sent>({
  words,
  consequence,
  change,
  input,
  isSame,
  more,
  children,
}: Pick<Making<Answer, Sent>, 'change' | 'input'> & {
  readonly words: Readonly<Record<'text' | 'save' | 'title' | 'change' | 'saved', string>>
  readonly consequence: string
  /** Whether nothing would change. */
  readonly isSame: boolean
  /** Beside the button that saves. */
  readonly more?: ReactNode
  readonly children: ReactNode
}) {
  const { may } = useOrganization()
  const [asking, setAsking] = useState(false)
  const close = () => {
    setAsking(false)
    change.reset()
  }
  return (
    <form
      className="card-body form"
      onSubmit={(event) => {
        event.preventDefault()
        setAsking(true)
      }}
    >
      <p className="ink-3">{words.text}</p>
      {children}
      {may('sign-in:write') && (
        <div className="form-foot">
          {more}
          <Button look="primary" type="submit" disabled={isSame}>
            {words.save}
          </Button>
        </div>
      )}
      {asking && (
        <Ask
          title={words.title}
          text={consequence}
          button={words.change}
          look="primary"
          change={change}
          input={input}
          done={words.saved}
          onClose={close}
        />
      )}
    </form>
  )
}
