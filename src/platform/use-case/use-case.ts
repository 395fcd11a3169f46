import type { Kysely, Transaction } from 'kysely'
import { ApiError } from '../../contract/error.ts'
import { noteRaised } from '../../store/people/announcements.ts'
import { writeAuditEvent } from '../../store/people/audit-events.ts'
import { claimIdempotencyKey } from '../../store/people/idempotency-keys.ts'
import type { AuditChanges } from '../../store/postgres/platform-tables.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import type { RaisedVersion } from '../../store/tenants/versions.ts'
import type { Actor } from '../../tenancy/actor.ts'
import type { Permission } from '../../tenancy/permissions.ts'
import { authorize, type Access, type Requirement, type Within } from './authorize.ts'
import type { Download } from './download.ts'
import type { Environment } from './environment.ts'
import { readActorAgain } from './read-actor-again.ts'

/** What a use case declares; the route table, the matrix and the audit log are made from it. */
export type UseCaseFacts<P extends Permission = Permission> = Requirement<P> & {
  /** Its name in the audit log: `key.create`. */
  readonly action: string
}

/** One function: who acts, may they, and what changes or is read. */
export type UseCase<Input, Value, P extends Permission = Permission> = UseCaseFacts<P> & {
  readonly kind: 'change' | 'read'
  (environment: Environment, actor: Actor, input: Input): Promise<Value>
}

/** What a change did, for the audit log and for the servers that must learn of it. */
export type Change<Value> = {
  readonly value: Value
  readonly target: { readonly kind: string; readonly id: string; readonly label?: string | null }
  /** Field → before and after. Never a secret. */
  readonly changes?: AuditChanges
  readonly raised?: readonly RaisedVersion[]
  /** Whether it is an order to an engine. */
  readonly ordered?: true
  /** Everything was as asked before: versions are announced again, but no event is written. */
  readonly unchanged?: boolean
  /** If it is not the organization of the access. */
  readonly organizationId?: string
  /** Whoever acted has another name from now on. */
  readonly actorLabel?: string
  /** If it concerns several: each gets an event of its own. None: the event is the platform's. */
  readonly organizationIds?: readonly string[]
  /** Runs after the commit and must not fail: emails, for example. */
  readonly afterwards?: () => void
}

type ChangeContext<P extends Permission> = {
  readonly environment: Environment
  readonly transaction: Transaction<Tables>
  readonly access: Access<P>
}

type ReadContext<P extends Permission> = {
  readonly environment: Environment
  readonly database: Kysely<Tables>
  readonly access: Access<P>
}

/**
 * Defines a change. The change, its audit event, its place in the outbox and its idempotency key
 * are one transaction; then the raised versions are announced.
 */
export function defineChange<P extends Permission, Input, Value>(
  facts: UseCaseFacts<P>,
  change: (context: ChangeContext<P>, input: Input) => Promise<Change<Value>>,
): UseCase<Input & Within<P>, Value, P> {
  const run = async (environment: Environment, actor: Actor, input: Input & Within<P>) => {
    const { database } = environment
    const access = await authorize(environment, actor, facts, input)
    const changed = await database.transaction().execute(async (transaction) => {
      const made = await change({ environment, transaction, access }, input)
      await record(transaction, facts.action, access, made)
      return made
    })
    changed.afterwards?.()
    await environment.announce(changed.raised ?? [])
    if (changed.ordered === true) await environment.announceOrders()
    return changed.value
  }
  return Object.assign(run, { ...facts, kind: 'change' as const })
}

/** Defines a read. A read by support is an audit event that the organization sees. */
export function defineRead<P extends Permission, Input, Value>(
  facts: UseCaseFacts<P>,
  read: (context: ReadContext<P>, input: Input) => Promise<Value>,
): UseCase<Input & Within<P>, Value, P> {
  const run = async (environment: Environment, actor: Actor, input: Input & Within<P>) => {
    const { database } = environment
    const access = await authorize(environment, actor, facts, input)
    if (access.asSupport) await recordRead(database, facts.action, access, {})
    return read({ environment, database, access }, input)
  }
  return Object.assign(run, { ...facts, kind: 'read' as const })
}

type Exported = Omit<Download, 'ownerId' | 'record'> & {
  /** What is exported, for the audit log: period, format and filters. */
  readonly facts: Readonly<Record<string, string | undefined>>
}

/** Defines a read that leaves the service as a file: an audit event, whoever asks. */
export function defineExport<P extends Permission, Input>(
  facts: UseCaseFacts<P>,
  read: (context: ReadContext<P>, input: Input) => Promise<Exported>,
): UseCase<Input & Within<P>, Download, P> {
  const run = async (environment: Environment, actor: Actor, input: Input & Within<P>) => {
    const { database } = environment
    const access = await authorize(environment, actor, facts, input)
    const exported = await read({ environment, database, access }, input)
    const { facts: said, parts, ...file } = exported
    const checkAgain = async () => {
      const now = await readActorAgain(environment, actor)
      checkSameRights(access, await authorize(environment, now, facts, input))
    }
    const changes: Record<string, readonly [null, string]> = {}
    for (const [name, value] of Object.entries(said))
      if (value !== undefined) changes[name] = [null, value]
    return {
      ...file,
      parts: whileAllowed(parts, checkAgain),
      ownerId: (access as Access).organization?.id ?? ownerOf(actor),
      record: () => recordRead(database, facts.action, access, changes),
    }
  }
  return Object.assign(run, { ...facts, kind: 'read' as const })
}

/** Checks the right to a file again before each part of it but the first. */
async function* whileAllowed(
  parts: AsyncIterable<string>,
  checkAgain: () => Promise<void>,
): AsyncGenerator<string, void> {
  let first = true
  for await (const part of parts) {
    if (!first) await checkAgain()
    first = false
    yield part
  }
}

/** What is in a file was decided by the role that somebody had when it began. */
function checkSameRights(before: Access, now: Access): void {
  const same =
    before.role === now.role &&
    before.creatorRole === now.creatorRole &&
    before.asSupport === now.asSupport
  if (!same) throw new ApiError('role_required', 'Your role has changed. Export it again.')
}

/**
 * Defines a use case that computes a password or works after its answer, and so must not hold a
 * transaction meanwhile. What it changes, it changes by use cases made with `defineChange`.
 */
export function defineFlow<P extends Permission, Input, Value>(
  facts: UseCaseFacts<P>,
  flow: (
    context: { readonly environment: Environment; readonly access: Access<P> },
    input: Input,
  ) => Promise<Value>,
): UseCase<Input & Within<P>, Value, P> {
  const run = async (environment: Environment, actor: Actor, input: Input & Within<P>) => {
    const access = await authorize(environment, actor, facts, input)
    return flow({ environment, access }, input)
  }
  return Object.assign(run, { ...facts, kind: 'change' as const })
}

async function record(
  transaction: Transaction<Tables>,
  action: string,
  access: Access,
  made: Change<unknown>,
): Promise<void> {
  const { target, changes = {}, raised = [], actorLabel } = made
  const one = made.organizationId ?? access.organization?.id ?? null
  const concerned = made.organizationIds ?? []
  for (const organizationId of concerned.length === 0 ? [one] : concerned) {
    if (made.unchanged === true) break
    await writeAuditEvent(transaction, {
      organizationId,
      actor: { ...labelOf(access.actor), ...(actorLabel !== undefined && { label: actorLabel }) },
      action,
      target: { kind: target.kind, id: target.id, label: target.label ?? null },
      changes,
      requestId: access.actor.request?.id ?? null,
    })
  }
  await noteRaised(transaction, raised)
  const idempotency = access.actor.request?.idempotency ?? null
  if (idempotency !== null)
    await claimIdempotencyKey(
      transaction,
      { actor: ownerOf(access.actor), ...idempotency },
      { targetId: target.id, own: access.grant === 'own' },
    )
}

async function recordRead(
  database: Kysely<Tables>,
  action: string,
  { actor, organization, asSupport }: Access,
  changes: AuditChanges,
): Promise<void> {
  const { id, label, ...who } = labelOf(actor)
  const target =
    organization === null
      ? { kind: 'account', id: id ?? '', label }
      : { kind: 'organization', id: organization.id, label: organization.slug }
  await database.transaction().execute((transaction) =>
    writeAuditEvent(transaction, {
      organizationId: organization?.id ?? null,
      actor: { ...who, id, label, ...(asSupport && { kind: 'support' }) },
      action,
      target,
      changes,
      requestId: actor.request?.id ?? null,
    }),
  )
}

/** Whose idempotency keys and bodies these are: strangers share one name, nobody else does. */
export function ownerOf(actor: Actor): string {
  return labelOf(actor).id ?? actor.kind
}

export function labelOf(actor: Actor): {
  readonly kind: string
  readonly id: string | null
  readonly label: string
} {
  switch (actor.kind) {
    case 'nobody':
      return { kind: actor.kind, id: null, label: '' }
    case 'person':
      return { kind: actor.kind, id: actor.account.id, label: actor.account.email }
    case 'management_key':
    case 'scim_token':
      return { kind: actor.kind, id: actor.id, label: actor.name }
    case 'operator_shell':
    case 'system':
      return { kind: actor.kind, id: null, label: actor.name }
  }
}
