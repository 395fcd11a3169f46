import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { RequestLink } from '../../api/routes.ts'
import { useApi, useChange } from '../../api/use-api.ts'
import { formatInstant } from '../../format/time.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../parts/dialog.tsx'
import { FaultNote, Loaded } from '../../parts/states.tsx'
import { say } from '../../parts/toast.tsx'
import { useMemberNames } from '../../shell/member-names.ts'
import { useOrganization } from '../../shell/organization.tsx'
import { everywhere } from '../../words/everywhere.ts'
import { requestLinks as words } from '../../words/request-links.ts'
import styles from './requests.module.css'

export const LINKS = 'GET /organizations/{organization}/request-links'

/** Every link to a request of the organization that works, of which each can be withdrawn. */
export function AllLinks() {
  const [open, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>{words.all}</Button>
      <Dialog open={open} wide title={words.all} description={words.allText} onClose={close}>
        <DialogBody>
          <LinkList onLeave={close} />
        </DialogBody>
        <DialogFoot>
          <Button onClick={close}>{everywhere.close}</Button>
        </DialogFoot>
      </Dialog>
    </>
  )
}

/** An organization has no more. */
const LIMIT = 100

/** Links to one request, or to all. */
export function LinkList({
  request,
  onLeave,
}: {
  readonly request?: string
  readonly onLeave?: () => void
}) {
  const { path } = useOrganization()
  const of = request === undefined ? {} : { request }
  const reading = useApi(LINKS, { path, query: { limit: LIMIT, ...of } })
  const withdraw = useChange('DELETE /organizations/{organization}/request-links/{link}', [LINKS])
  const take = (link: string) =>
    withdraw.mutate({ path: { ...path, link } }, { onSuccess: () => say(words.withdrawn) })
  return (
    <>
      {withdraw.error !== null && <FaultNote fault={withdraw.error} />}
      <Loaded reading={reading} what={words.working}>
        {({ data }) =>
          data.length === 0 ? (
            request === undefined && <p className="ink-3">{words.none}</p>
          ) : (
            <ul className={styles.links} aria-label={words.working}>
              {data.map((link) => (
                <LinkRow
                  key={link.id}
                  link={link}
                  onLeave={onLeave}
                  busy={withdraw.isPending}
                  onWithdraw={() => take(link.id)}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
    </>
  )
}

function LinkRow({
  link,
  busy,
  onLeave,
  onWithdraw,
}: {
  readonly link: RequestLink
  readonly busy: boolean
  /** Leaves a list of links to all requests for one of them. */
  readonly onLeave: (() => void) | undefined
  readonly onWithdraw: () => void
}) {
  const { slug } = useOrganization()
  const nameOf = useMemberNames()
  return (
    <li>
      <span>
        {onLeave !== undefined && (
          <Link
            className="link"
            to="/o/$slug/requests/$request"
            params={{ slug, request: link.request }}
            onClick={onLeave}
          >
            {words.requestOf(link.request.slice(-SHOWN))}
          </Link>
        )}
        <span>{words.until(formatInstant(link.ends_at))}</span>
        <span className="ink-3 xs">
          {words.made(nameOf(link.created_by), formatInstant(link.created_at))}
        </span>
      </span>
      <Button size="sm" look="danger-quiet" disabled={busy} onClick={onWithdraw}>
        {words.withdraw}
      </Button>
    </li>
  )
}

/** The end of an id tells ids apart. */
const SHOWN = 8
