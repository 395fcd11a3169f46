import type { Transaction } from 'kysely'
import { pauseStream as storePause } from '../../../store/people/audit-stream-queue.ts'
import type { AuditStreamRow } from '../../../store/postgres/platform-tables.ts'
import type { Tables } from '../../../store/postgres/tables.ts'
import { pageAddress } from '../../sign-in/accounts/links.ts'
import type { Environment } from '../../use-case/environment.ts'
import type { Email } from '../../mail/emails.ts'
import { tellOperators, tellOwners } from '../../members/tell-owners.ts'
import { defineChange, type Change } from '../../use-case/use-case.ts'

/** A receiver that confirmed nothing for so long, or has so many events waiting, is gone. */
const AWAY = { days: 14, events: 100_000 } as const

const JOB = { kind: 'system', name: 'audit stream', request: null } as const
const ACTION = 'audit_stream.pause'

type Paused = { readonly stream: AuditStreamRow }

/** Gives up a receiver that stays away, so that what waits for it has an end. */
export async function pauseIfAway(environment: Environment, stream: AuditStreamRow): Promise<void> {
  const { organization_id: organization } = stream
  await (organization === null
    ? pausePlatformStream(environment, JOB, { stream })
    : pauseOwnStream(environment, JOB, { organization, stream }))
}

const pauseOwnStream = defineChange(
  { action: ACTION, permission: 'audit-stream:write' },
  async ({ environment, transaction, access: { organization } }, { stream }: Paused) => {
    const change = await pause(transaction, stream)
    const { id, slug } = organization
    const message = emailAbout(environment, `o/${slug}/audit`, stream)
    const afterwards = () => environment.later(id, () => tellOwners(environment, id, message))
    return { ...change, ...(change.value && { afterwards }) }
  },
)

const pausePlatformStream = defineChange(
  { action: ACTION, permission: 'platform-audit:manage' },
  async ({ environment, transaction }, { stream }: Paused) => {
    const change = await pause(transaction, stream)
    const message = emailAbout(environment, 'operator/audit', stream)
    const afterwards = () => environment.later(stream.id, () => tellOperators(environment, message))
    return { ...change, ...(change.value && { afterwards }) }
  },
)

async function pause(
  transaction: Transaction<Tables>,
  { id }: AuditStreamRow,
): Promise<Change<boolean>> {
  const paused = await storePause(transaction, id, AWAY)
  return {
    value: paused,
    target: { kind: 'audit_stream', id },
    changes: { paused: [false, true] },
    unchanged: !paused,
  }
}

function emailAbout({ settings }: Environment, page: string, { url }: AuditStreamRow): Email {
  // The path and the query of an address are often a secret.
  const receiver = new URL(url).origin
  return { kind: 'stream_paused', receiver, link: pageAddress(settings, page) }
}
