import type { ApiError } from '../../../contract/error.ts'
import { SCHEMAS } from '../../../contract/scim/resources.ts'

export const SCIM_TYPE = 'application/scim+json'

/** An error in the form of RFC 7644, section 3.12. The status is a text there. */
export function scimError(error: ApiError): {
  readonly contentType: string
  readonly body: object
} {
  const scimType = typeOf(error)
  return {
    contentType: `${SCIM_TYPE}; charset=utf-8`,
    body: {
      schemas: [SCHEMAS.error],
      status: String(error.status),
      ...(scimType !== undefined && { scimType }),
      detail: error.message,
    },
  }
}

function typeOf({ kind, status, param }: ApiError): string | undefined {
  if (kind === 'already_exists') return 'uniqueness'
  if (status !== 400) return undefined
  if (kind === 'invalid_json') return 'invalidSyntax'
  if (param === 'filter') return 'invalidFilter'
  return param === 'path' ? 'invalidPath' : 'invalidValue'
}
