import type { Call } from '../../../http/call.ts'
import { declaresJson } from '../../../http/read-body.ts'
import { identifyScimToken } from '../../use-case/identify-scim-token.ts'
import { createManagementHandler, type Door, type ManagementDeps } from '../dispatch.ts'
import { parseObject, type BodyFormat } from '../read-input.ts'
import { scimError, SCIM_TYPE } from './scim-error.ts'
import { SCIM_ROUTES } from './scim-routes.ts'

const DECLARED = /^application\/scim\+json[ \t]*(;|$)/i

/** Providers may also say that it is JSON. */
const SCIM_FORMAT: BodyFormat = {
  mediaType: SCIM_TYPE,
  declares: (contentType) => DECLARED.test(contentType?.trim() ?? '') || declaresJson(contentType),
  parse: parseObject,
}

/** Some providers send all members of a group at once. */
const BODY_BYTES_MAX = 262_144

const SCIM_DOOR: Door = {
  root: '/scim/v2',
  identify: identifyScimToken,
  format: SCIM_FORMAT,
  bounds: { bytesMax: BODY_BYTES_MAX, withinMs: 60_000 },
}

/** SCIM 2.0 with the turns, checks and use cases of the management API, in the form of SCIM. */
export function createScimHandler(deps: ManagementDeps): (call: Call) => Promise<void> {
  const handle = createManagementHandler(SCIM_ROUTES, deps, SCIM_DOOR)
  return async (call) => {
    call.errorForm = scimError
    await handle(call)
  }
}
