import { ApiError } from '../../contract/error.ts'
import type { Call } from '../../http/call.ts'
import { NoBodyMemory, readBody } from '../../http/read-body.ts'
import { SECURITY_HEADERS } from '../../http/security-headers.ts'
import { isUnavailable } from '../../store/postgres/postgres.ts'
import { receiveHint } from '../payments/receive-hint.ts'
import { clientOf } from './client.ts'
import type { ManagementDeps } from './dispatch.ts'
import { noBodyMemory, within } from './read-input.ts'

const BODY_BYTES_MAX = 262_144
const WITHIN_MS = 10_000

/**
 * Webhooks of the payment provider. It is no route of the table, because a signature takes the
 * place of a permission. Success says that the event is stored, and nothing else.
 */
export function createPaymentHooks({
  environment,
  bodyBudget,
}: ManagementDeps): (call: Call) => Promise<void> {
  return async (call) => {
    Object.assign(call.headers, SECURITY_HEADERS)
    call.operation = `${call.request.method} /hooks/stripe`
    if (environment.paymentProvider === null)
      throw new ApiError('not_found', 'This does not exist, or you have no access to it.')
    if (call.request.method !== 'POST')
      throw new ApiError('unsupported_method', 'This endpoint supports POST only.', {
        headers: { allow: 'POST' },
      })
    const { trusted_proxies: proxies } = environment.settings.console
    // Strangers may send bodies too, so those of one network must not take the memory of all.
    const charge = bodyBudget.open(clientOf(call.request, proxies, new Map(), null).addressPrefix)
    try {
      const raw = await within(WITHIN_MS, readBody(call.request, BODY_BYTES_MAX, charge))
      const accepted = await receiveHint(environment, Buffer.from(raw), call.request.headers)
      if (!accepted) throw new ApiError('invalid_value', 'The signature is not valid.')
    } catch (error) {
      if (error instanceof NoBodyMemory) throw noBodyMemory()
      if (!isUnavailable(error)) throw error
      throw new ApiError('service_unavailable', 'It could not be stored. Send it again.', {
        cause: error,
      })
    } finally {
      charge.resize(0)
    }
    call.response.writeHead(200, { ...call.headers, 'content-length': 0 })
    call.response.end()
  }
}
