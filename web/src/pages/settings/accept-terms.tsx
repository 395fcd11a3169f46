import { ExternalLink } from 'lucide-react'
import { useState } from 'react'
import type { Fault } from '../../api/fault.ts'
import type { Retention } from '../../api/routes.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../parts/dialog.tsx'
import { Checkbox } from '../../parts/field.tsx'
import { FaultNote } from '../../parts/states.tsx'
import { everywhere } from '../../words/everywhere.ts'
import { retention as words } from '../../words/settings.ts'

/**
 * The terms are a document of the operator at another address, so that this page can neither show
 * them nor see them scrolled. Its button works once they were opened and the person says so.
 */
export function AcceptTerms({
  terms,
  days,
  fault,
  busy,
  onAccept,
  onClose,
}: {
  readonly terms: NonNullable<Retention['contributor_terms']>
  readonly days: number
  readonly fault: Fault | null
  readonly busy: boolean
  readonly onAccept: (version: string) => void
  readonly onClose: () => void
}) {
  const [opened, setOpened] = useState(false)
  const [read, setRead] = useState(false)
  return (
    <Dialog
      open
      onClose={onClose}
      title={words.termsTitle(terms.version)}
      description={words.termsText}
    >
      <DialogBody>
        {fault !== null && <FaultNote fault={fault} />}
        <ul className="terms">
          {words.termsPoints(days).map((point) => (
            <li key={point}>{point}</li>
          ))}
        </ul>
        <p>
          <a
            className="btn"
            href={terms.url}
            target="_blank"
            rel="noopener noreferrer"
            onClick={() => setOpened(true)}
          >
            <ExternalLink size={16} aria-hidden /> {words.termsOpen}
          </a>
          <span className="hint block cut">{terms.url}</span>
        </p>
        <Checkbox
          label={words.termsRead(terms.version)}
          checked={read}
          disabled={!opened}
          onChange={(event) => setRead(event.currentTarget.checked)}
        />
      </DialogBody>
      <DialogFoot>
        <Button onClick={onClose}>{everywhere.cancel}</Button>
        <Button
          look="primary"
          busy={busy}
          disabled={!opened || !read}
          onClick={() => onAccept(terms.version)}
        >
          {words.accept}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
