import { useState, type ComponentProps, type ReactNode } from 'react'
import { Button } from './button.tsx'

/** A button and the dialog that it opens. */
export function DialogButton({
  dialog,
  ...button
}: Omit<ComponentProps<typeof Button>, 'onClick'> & {
  readonly dialog: (close: () => void) => ReactNode
}) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)} />
      {isOpen && dialog(() => setOpen(false))}
    </>
  )
}
