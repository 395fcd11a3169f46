import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { normalEmail } from '../../../../src/tenancy/email.ts'
import type { Me, OpenInvitation } from '../../api/routes.ts'
import { useApi, useChange } from '../../api/use-api.ts'
import { Button } from '../../parts/button.tsx'
import { Skeleton } from '../../parts/states.tsx'
import { Instant } from '../../parts/time.tsx'
import { say } from '../../parts/toast.tsx'
import { endSession, forgetEverything, useMe } from '../../shell/session.ts'
import { entry } from '../../words/entry.ts'
import { Door, DoorNote } from './door.tsx'
import { dropToken, holdInvitedAddress, takeToken } from './link-token.ts'
import styles from './entry.module.css'

const words = entry.join

/** Shows who invites into what before anything is accepted. */
export function JoinPage() {
  const [token] = useState(() => takeToken('join'))
  const look = useApi(
    'POST /invitations/look-up',
    { body: { token: token ?? '' } },
    { enabled: token !== undefined, freshFor: Infinity },
  )
  const me = useMe()
  const { data: invitation, error } = look
  useEffect(() => {
    if (invitation !== undefined) holdInvitedAddress(invitation.email)
  }, [invitation])
  if (token === undefined || error?.code === 'not_found')
    return (
      <Door title={words.gone} sub={words.goneText}>
        <Link className="btn lg block" to="/">
          {words.toConsole}
        </Link>
      </Door>
    )
  if (error !== null)
    return (
      <Door title={words.loading}>
        <DoorNote fault={error} />
      </Door>
    )
  if (invitation === undefined || me.isPending)
    return (
      <Door title={words.loading}>
        <Skeleton />
      </Door>
    )
  return (
    <Door
      title={words.title(invitation.organization.name)}
      sub={words.invites(invitation.invited_by ?? words.operator)}
    >
      <Facts invitation={invitation} />
      {me.data === undefined ? (
        <NeedsAccount />
      ) : (
        <Accept token={token} invitation={invitation} me={me.data} />
      )}
    </Door>
  )
}

function Facts({ invitation }: { readonly invitation: OpenInvitation }) {
  const { organization, role, email, ends_at: endsAt } = invitation
  return (
    <dl className={styles.doorFacts}>
      <dt>{words.organization}</dt>
      <dd>{organization.name}</dd>
      <dt>{words.role}</dt>
      <dd>{words.roles[role]}</dd>
      <dt>{words.address}</dt>
      <dd>{email}</dd>
      <dt>{words.ends}</dt>
      <dd>
        <Instant time={endsAt} />
      </dd>
    </dl>
  )
}

/** The token stays in memory until the person comes back from there. */
function NeedsAccount() {
  return (
    <>
      <Link className="btn primary lg block" to="/sign-in" search={{ to: '/join' }}>
        {words.signIn}
      </Link>
      <Link className="btn lg block" to="/sign-up" search={{ to: '/join' }}>
        {words.signUp}
      </Link>
    </>
  )
}

function Accept({
  token,
  invitation,
  me,
}: {
  readonly token: string
  readonly invitation: OpenInvitation
  readonly me: Me
}) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const accept = useChange('POST /invitations/accept', ['GET /me/organizations', 'GET /me'])
  const leave = async () => {
    await endSession()
    forgetEverything(queries)
    await navigate({ to: '/sign-in', search: { to: '/join' } })
  }
  if (normalEmail(me.email) !== normalEmail(invitation.email))
    return (
      <>
        <DoorNote fault={words.otherAccount(me.email)} />
        <Button size="lg" block onClick={() => void leave()}>
          {words.signOut}
        </Button>
      </>
    )
  const join = () =>
    accept.mutate(
      { body: { token } },
      {
        onSuccess: ({ organization: { slug, name } }) => {
          dropToken('join')
          holdInvitedAddress('')
          say(words.joined(name))
          void navigate({ to: '/o/$slug', params: { slug } })
        },
      },
    )
  return (
    <>
      <DoorNote fault={accept.error} />
      <Button look="primary" size="lg" block busy={accept.isPending} onClick={join}>
        {words.accept}
      </Button>
    </>
  )
}
