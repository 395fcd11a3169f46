import { lazy, Suspense, useEffect, useState } from 'react'
import { onFault } from '../api/call.ts'

const ConfirmDialog = lazy(() =>
  import('./confirm-dialog.tsx').then((module) => ({ default: module.ConfirmDialog })),
)

type Asked = { readonly answer: (confirmed: boolean) => void }

/** Asks the person to confirm that it is them. Calls that need it at the same time share it. */
export function ConfirmIdentity() {
  const [asked, setAsked] = useState<Asked>()
  useEffect(() => {
    let pending: Promise<boolean> | undefined
    onFault.confirm = () => {
      pending ??= new Promise((answer: Asked['answer']) => setAsked({ answer })).finally(() => {
        pending = undefined
        setAsked(undefined)
      })
      return pending
    }
    return () => {
      onFault.confirm = () => Promise.resolve(false)
    }
  }, [])
  if (asked === undefined) return null
  return (
    <Suspense>
      <ConfirmDialog onDone={asked.answer} />
    </Suspense>
  )
}
