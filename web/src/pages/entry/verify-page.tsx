import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useApi, useChange } from '../../api/use-api.ts'
import { Button } from '../../parts/button.tsx'
import { Skeleton } from '../../parts/states.tsx'
import { entry } from '../../words/entry.ts'
import { Door, DoorNote } from './door.tsx'
import { dropToken, takeToken } from './link-token.ts'
import styles from './entry.module.css'

const words = entry.verify

/** Shows whose address the link of an email changes, and changes it by the button. */
export function VerifyPage() {
  const [token] = useState(() => takeToken('verify'))
  if (token === undefined)
    return (
      <Door title={words.title} sub={words.missing}>
        <ToConsole />
      </Door>
    )
  return <Verify token={token} />
}

function Verify({ token }: { readonly token: string }) {
  const body = { token }
  const look = useApi('POST /email-verifications/look-up', { body }, { freshFor: Infinity })
  const change = useChange('POST /email-verifications', ['GET /me'])
  if (change.isSuccess)
    return (
      <Door title={words.done} sub={words.doneText}>
        <ToConsole />
      </Door>
    )
  const isUsed = [look.error, change.error].some((fault) => fault?.param === 'token')
  if (isUsed)
    return (
      <Door title={words.used} sub={words.usedText}>
        <ToConsole />
      </Door>
    )
  if (look.data === undefined)
    return (
      <Door title={words.title}>
        {look.error === null ? <Skeleton /> : <DoorNote fault={look.error} />}
      </Door>
    )
  const { email, account } = look.data
  const confirm = () => change.mutate({ body }, { onSuccess: () => dropToken('verify') })
  return (
    <Door title={words.title} sub={words.text}>
      <dl className={styles.doorFacts}>
        <dt>{words.account}</dt>
        <dd>{account}</dd>
        <dt>{words.address}</dt>
        <dd>{email}</dd>
      </dl>
      <p className="ink-3">{words.notYou}</p>
      <DoorNote fault={change.error} />
      <Button look="primary" size="lg" block busy={change.isPending} onClick={confirm}>
        {words.submit}
      </Button>
    </Door>
  )
}

function ToConsole() {
  return (
    <Link className="btn primary lg block" to="/">
      {words.toConsole}
    </Link>
  )
}
