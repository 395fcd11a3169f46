import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useApi } from '../../api/use-api.ts'
import { Button } from '../../parts/button.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Instant } from '../../parts/time.tsx'
import { endSession, forgetEverything } from '../../shell/session.ts'
import { Slots } from '../../parts/slots.tsx'
import { entry } from '../../words/entry.ts'
import { shell } from '../../words/shell.ts'
import { Door } from './door.tsx'
import { WaitingNote } from './waiting-note.tsx'

const words = entry.waiting
const LOOK_MS = 30_000

/** Since when, what comes next; it leads on by itself. */
export function WaitingPage() {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const me = useApi('GET /me', {}, { every: LOOK_MS, freshFor: 0 })
  const state = me.data?.state
  useEffect(() => {
    if (state !== undefined && state !== 'waiting') void navigate({ to: '/', replace: true })
  }, [state, navigate])
  const leave = async () => {
    await endSession()
    forgetEverything(queries)
    await navigate({ to: '/sign-in' })
  }
  return (
    <Door title={words.title}>
      <Loaded reading={me} what={shell.account}>
        {({ email, created_at: since }) => (
          <p>
            <Slots text={words.since} parts={{ email, time: <Instant time={since} /> }} />
          </p>
        )}
      </Loaded>
      <p>{words.next}</p>
      <p className="ink-3">{words.noMail}</p>
      <WaitingNote known={me.data?.waiting_note ?? null} />
      <Button size="lg" block onClick={() => void leave()}>
        {words.signOut}
      </Button>
    </Door>
  )
}
