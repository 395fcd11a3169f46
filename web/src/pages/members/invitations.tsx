import type { Invitation } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import type { List } from '../../api/use-list.ts'
import { useSecretChange } from '../../api/use-secret-change.ts'
import { formatDate } from '../../format/time.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/page.tsx'
import { FaultNote, Skeleton } from '../../parts/states.tsx'
import { Tag } from '../../parts/tag.tsx'
import { useNow } from '../../parts/now.ts'
import { say } from '../../parts/toast.tsx'
import { useMemberNames } from '../../shell/member-names.ts'
import { useOrganization } from '../../shell/organization.tsx'
import { everywhere } from '../../words/everywhere.ts'
import { inviting as words } from '../../words/members.ts'
import { roles } from '../../words/roles.ts'
import { InvitationLink } from './invite.tsx'

/** Invitations that nobody has accepted yet. */
export function Invitations({ list }: { readonly list: List<Invitation> }) {
  const { items, error } = list
  return (
    <Card title={words.card} foot={words.foot}>
      {items === undefined &&
        (error === null ? (
          <Skeleton lines={2} />
        ) : (
          <FaultNote what={words.card} fault={error} retry={list.retry} />
        ))}
      {items?.length === 0 && <p className="card-body ink-3">{words.none}</p>}
      <ul className="entries">
        {items?.map((invitation) => (
          <OneInvitation key={invitation.id} invitation={invitation} />
        ))}
      </ul>
      {list.hasMore && (
        <div className="card-body">
          <Button size="sm" busy={list.isFetching} onClick={list.loadMore}>
            {everywhere.loadMore}
          </Button>
        </div>
      )}
    </Card>
  )
}

function OneInvitation({ invitation }: { readonly invitation: Invitation }) {
  const { email, role, invited_by: inviter, created_at, ends_at } = invitation
  const nameOf = useMemberNames()
  const isOver = Date.parse(ends_at) < useNow()
  const who = inviter === null ? words.operator : (nameOf(inviter) ?? words.former)
  return (
    <li>
      <span className="cut">
        {email} <span className="ink-3">{roles.names[role]}</span>
        {isOver && <Tag tone="warn">{words.expired}</Tag>}
      </span>
      <InvitationActions invitation={invitation} />
      <span className="why">{words.sentBy(who, formatDate(created_at), formatDate(ends_at))}</span>
    </li>
  )
}

function InvitationActions({ invitation }: { readonly invitation: Invitation }) {
  const { path, role: own, may } = useOrganization()
  const at = { path: { ...path, invitation: invitation.id } }
  const { email } = invitation
  const lists = ['GET /organizations/{organization}/invitations'] as const
  const resend = useSecretChange(
    'POST /organizations/{organization}/invitations/{invitation}/resend',
    lists,
  )
  const withdraw = useChange('DELETE /organizations/{organization}/invitations/{invitation}', lists)
  const fault = resend.fault ?? withdraw.error
  // Only owners invite owners.
  if (!may('members:write') || (invitation.role === 'owner' && own !== 'owner')) return null
  return (
    <>
      <span className="row tight">
        <Button size="sm" busy={resend.busy} onClick={() => resend.make(at)}>
          {words.resend}
        </Button>
        <Button
          size="sm"
          look="danger-quiet"
          busy={withdraw.isPending}
          onClick={() => withdraw.mutate(at, { onSuccess: () => say(words.withdrawn(email)) })}
        >
          {words.withdraw}
        </Button>
      </span>
      {fault !== null && <FaultNote fault={fault} />}
      {resend.answer !== null && (
        <InvitationLink sent={resend.answer} note={words.resent(email)} onClose={resend.forget} />
      )}
    </>
  )
}
