import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { entry } from '../../words/entry.ts'
import { Door } from './door.tsx'
import { dropToken, takeToken } from './link-token.ts'
import { useAttempt } from './use-attempt.ts'

const words = entry.verify

/** Uses the link of a letter: of a sign-up, or of a new address. */
export function VerifyPage() {
  const [token] = useState(() => takeToken('verify'))
  const attempt = useAttempt(
    token === undefined
      ? undefined
      : () => {
          dropToken('verify')
          return call('POST /email-verifications', { body: { token } })
        },
  )
  if (token === undefined) return <Door title={words.title} sub={words.missing} />
  if (attempt.working) return <Door title={words.title} sub={words.working} />
  const { fault } = attempt
  const failed = fault?.code === 'invalid_value' ? words.failedText : fault?.message
  return (
    <Door
      title={fault === undefined ? words.done : words.failed}
      sub={fault === undefined ? words.doneText : failed}
    >
      <Link className="btn primary lg block" to="/sign-in">
        {entry.signIn.title}
      </Link>
      {fault !== undefined && (
        <Link className="btn lg block" to="/sign-up">
          {entry.signUp.title}
        </Link>
      )}
    </Door>
  )
}
