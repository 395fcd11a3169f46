import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { whoIsSignedIn } from '../api/call.ts'
import { BASE } from '../api/place.ts'
import type { Me } from '../api/routes.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../parts/dialog.tsx'
import { sessionEnded as words } from '../words/shell.ts'
import { leaveFor } from './leave-document.ts'
import { accountShown } from './session.ts'
import { onOtherTab } from './tabs-of-browser.ts'
import styles from './frame.module.css'

/** Set by `SessionEnded`: resolves to true once the same person has signed in again. */
export const askToSignIn: { again: (me: Me) => Promise<boolean> } = {
  again: () => Promise.resolve(false),
}

type Asked = { readonly me: Me; readonly signedIn: () => void }

/**
 * Over a page with something typed in it, when the session has ended. The page is hidden until the
 * same person has signed in, in another tab; another person gets a new document.
 */
export function SessionEnded() {
  const queries = useQueryClient()
  const [asked, setAsked] = useState<Asked>()
  useEffect(() => {
    let pending: Promise<boolean> | undefined
    askToSignIn.again = (me) => {
      pending ??= new Promise<boolean>((answer) =>
        setAsked({ me, signedIn: () => answer(true) }),
      ).finally(() => {
        pending = undefined
        setAsked(undefined)
      })
      return pending
    }
  }, [])
  useEffect(() => {
    const look = async () => {
      const shown = asked?.me ?? accountShown(queries)
      const account = await whoIsSignedIn().catch(() => null)
      if (shown === undefined || account === null) return
      if (account !== shown.id) leaveFor(`${BASE}/`)
      else asked?.signedIn()
    }
    const lookAgain = () => void look()
    const ends = [onOtherTab('signed-in', lookAgain)]
    // A sign-in at an identity provider tells nobody.
    if (asked !== undefined) {
      addEventListener('focus', lookAgain)
      ends.push(() => removeEventListener('focus', lookAgain))
    }
    return () => ends.forEach((end) => end())
  }, [asked, queries])
  useEffect(() => {
    document.documentElement.toggleAttribute('data-session-ended', asked !== undefined)
  }, [asked])
  if (asked === undefined) return null
  return (
    <div className={styles.sessionEnded}>
      <Dialog
        open
        keepOpen
        onClose={() => {}}
        title={words.title}
        description={words.text(asked.me.email)}
      >
        <DialogBody>{words.kept}</DialogBody>
        <DialogFoot>
          <Button onClick={() => leaveFor(`${BASE}/sign-in`)}>{words.drop}</Button>
          <a className="btn primary" href={`${BASE}/sign-in`} target="_blank" rel="noopener">
            {words.signIn}
          </a>
        </DialogFoot>
      </Dialog>
    </div>
  )
}
