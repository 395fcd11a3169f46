import { ApiError } from '../../contract/error.ts'
import type { PlaygroundCredential } from '../../contract/management/retention.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import { findProject } from '../../store/tenants/projects.ts'
import {
  createSigningKey,
  issuePlaygroundCredential,
  playgroundRealm,
} from '../../tenancy/playground-credential.ts'
import { notFound } from '../use-case/authorize.ts'
import { planOf } from '../use-case/plan-of.ts'
import { defineChange } from '../use-case/use-case.ts'

/** Short, because a credential cannot be revoked; the page asks for another. */
const LIFE_MS = 5 * MINUTE_MS

/** Issues a credential with which the playground calls the data plane. It is not stored. */
export const createPlaygroundCredential = defineChange(
  { action: 'playground.open', permission: 'playground:use' },
  async (
    { environment: { settings }, transaction, access },
    input: { readonly project: string },
  ) => {
    const { actor, organization } = access
    const project = await findProject(transaction, organization.id, input.project)
    if (project.archived_at !== null) throw notFound()
    if (planOf(settings, organization)?.credentials.has('playground') !== true)
      throw new ApiError('plan_access_denied', 'The plan does not include the playground.')
    if (settings.signing_key === undefined)
      throw new ApiError(
        'service_unavailable',
        'The playground is switched off: the operator has not set HEADRACE_SIGNING_KEY.',
      )
    if (actor.kind !== 'person')
      throw new ApiError('role_required', 'Only a member can use the playground.')
    const nowMs = Date.now()
    const expiresAt = new Date(nowMs + LIFE_MS)
    const credential = issuePlaygroundCredential(
      {
        id: uuidV7(nowMs),
        organizationId: organization.id,
        projectId: project.id,
        accountId: actor.account.id,
        expiresAt,
      },
      playgroundRealm(settings.api),
      createSigningKey(settings.signing_key),
      nowMs,
    )
    const value: PlaygroundCredential = { credential, expires_at: expiresAt.toISOString() }
    return { value, target: { kind: 'project', id: project.id, label: project.name } }
  },
)
