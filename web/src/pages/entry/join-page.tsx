import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { normalEmail } from '../../../../src/tenancy/email.ts'
import type { Me, OpenInvitation, SignedIn } from '../../api/routes.ts'
import { useApi, useChange } from '../../api/use-api.ts'
import { Button } from '../../parts/button.tsx'
import { Skeleton } from '../../parts/states.tsx'
import { Instant } from '../../parts/time.tsx'
import { say } from '../../parts/toast.tsx'
import { endSession, forgetEverything, useMe } from '../../shell/session.ts'
import { tellOtherTabs } from '../../shell/tabs-of-browser.ts'
import { entry } from '../../words/entry.ts'
import { Door, DoorNote } from './door.tsx'
import { JoinForm } from './join-form.tsx'
import { dropToken, holdInvitedAddress, takeToken } from './link-token.ts'
import styles from './entry.module.css'

const words = entry.join

/** Shows who invites into what before anything is accepted. */
export function JoinPage() {
  const [token] = useState(() => takeToken('join'))
  const [joined, setJoined] = useState(false)
  const look = useApi(
    'POST /invitations/look-up',
    { body: { token: token ?? '' } },
    { enabled: token !== undefined && !joined, freshFor: Infinity },
  )
  const me = useMe()
  const { data: invitation, error } = look
  useEffect(() => {
    if (invitation !== undefined) holdInvitedAddress(invitation.email)
  }, [invitation])
  if (joined) return <Door title={words.loading} />
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
        <WithoutSession token={token} invitation={invitation} onJoined={() => setJoined(true)} />
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

/** The token stays in memory until the person comes back from signing in. */
function WithoutSession({
  token,
  invitation,
  onJoined,
}: {
  readonly token: string
  readonly invitation: OpenInvitation
  readonly onJoined: () => void
}) {
  const goOn = useJoined(invitation)
  const enter = (answer: SignedIn) => {
    onJoined()
    goOn(answer)
  }
  const { next } = invitation
  if (next === 'join') return <JoinForm token={token} invitation={invitation} onJoined={enter} />
  return (
    <>
      {next !== 'confirm' && <p className="ink-3">{words.known[next]}</p>}
      <Link className="btn primary lg block" to="/sign-in" search={{ to: '/join' }}>
        {words.signIn}
      </Link>
      {next === 'confirm' && (
        <Link className="btn lg block" to="/sign-up" search={{ to: '/join' }}>
          {words.signUp}
        </Link>
      )}
    </>
  )
}

/** Into the organization, by way of the second factor if one is required. */
function useJoined({ organization: { slug, name } }: OpenInvitation) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  return ({ second_factor: factor }: SignedIn) => {
    dropToken('join')
    holdInvitedAddress('')
    forgetEverything(queries)
    if (factor !== 'complete')
      return void navigate({ to: '/sign-in', search: { step: 'factor', to: `/o/${slug}` } })
    tellOtherTabs('signed-in')
    say(words.joined(name))
    void navigate({ to: '/o/$slug', params: { slug } })
  }
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
