import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Button } from '../../parts/button.tsx'
import { endSession, forgetEverything } from '../../shell/session.ts'
import { entry } from '../../words/entry.ts'
import { Contact } from '../../parts/contact.tsx'
import { Door } from './door.tsx'

const words = entry.restricted

export function RestrictedPage() {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const leave = async () => {
    await endSession()
    forgetEverything(queries)
    await navigate({ to: '/sign-in' })
  }
  return (
    <Door title={words.title} sub={words.text}>
      <Contact className="btn primary lg block" />
      <Button size="lg" block onClick={() => void leave()}>
        {words.signIn}
      </Button>
    </Door>
  )
}
