import type { ReactNode } from 'react'
import { everywhere } from '../words/everywhere.ts'
import { Button } from './button.tsx'
import { CopyButton } from './copy.tsx'
import { Dialog, DialogBody, DialogFoot } from './dialog.tsx'

/** What is shown once, with a button that copies it. */
export function Secret({ value, what }: { readonly value: string; readonly what: string }) {
  return (
    <div className="secret" data-shows="secret">
      <code>{value}</code>
      <CopyButton value={value} what={what} label={everywhere.copy} />
    </div>
  )
}

/** Shows what cannot be shown again. Only its button closes it: a stray Escape must not lose it. */
export function SecretDialog({
  title,
  text,
  secret,
  what,
  onClose,
  children,
}: {
  readonly title: string
  readonly text: string
  readonly secret: string
  /** For the screen reader: "Copy webhook secret". */
  readonly what: string
  readonly onClose: () => void
  readonly children?: ReactNode
}) {
  return (
    <Dialog open wide keepOpen onClose={onClose} title={title} description={text}>
      <DialogBody>
        <Secret value={secret} what={what} />
        {children}
      </DialogBody>
      <DialogFoot>
        <Button look="primary" onClick={onClose}>
          {everywhere.copiedIt}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
