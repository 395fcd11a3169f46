import { ChatRequest } from '../contract/chat-request.ts'
import type { ApiError } from '../contract/error.ts'
import { ClientGone, clientIsGone, type Call } from '../http/call.ts'
import { toApiError } from '../http/errors.ts'
import type { Refusal } from '../tenancy/refusal.ts'

export type Refusals = {
  /** Never waits, never throws. */
  note(refusal: Refusal): void
}

/**
 * Notes a refusal for the organization of the caller, once that is known. A client that left saw
 * no refusal, and after the first token the request has a usage record.
 */
export function noteRefusal(call: Call, error: unknown, refusals: Refusals): void {
  const { identity } = call
  if (identity === undefined || clientIsGone(call) || error instanceof ClientGone) return
  if (call.response.headersSent) return
  const refused = toApiError(error)
  // A 401 must reveal nothing about the organization of a revoked key, and is not noted there.
  if (refused.status === 401) return
  const { credential, project, organization, account } = identity
  const accountId = account?.id ?? null
  refusals.note({
    id: call.id,
    organizationId: organization.id,
    projectId: project.id,
    credentialId: credential.kind === 'playground' ? (accountId ?? credential.id) : credential.id,
    credentialKind: credential.kind,
    accountId,
    status: refused.status,
    code: refused.kind,
    param: ownParam(refused.param),
    model: call.model ?? null,
    limits: refused.limits,
    checked: refused.checked,
    retryAfterMs: retryAfterOf(refused),
  })
}

const PARAMS: ReadonlySet<string> = new Set(Object.keys(ChatRequest.properties))

/** The parameter at the beginning of a path; the rest, or an unknown one, is a client's text. */
function ownParam(path: string | null): string | null {
  if (path === null) return null
  const end = path.search(/[.[]/)
  const name = end === -1 ? path : path.slice(0, end)
  return PARAMS.has(name) ? name : null
}

function retryAfterOf({ headers }: ApiError): number | null {
  const ms = headers['retry-after-ms']
  if (ms !== undefined) return Number(ms)
  const seconds = headers['retry-after']
  return seconds === undefined ? null : Number(seconds) * 1_000
}
