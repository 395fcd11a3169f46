import type { EngineError } from '../../adapters/engine.ts'

/**
 * - `refused`: it cannot be reached, which no request causes
 * - `misconfigured`: it rejects our key or does not know the model
 * - `fault`: the engine failed, or the request made it fail
 */
export type Fault = 'refused' | 'misconfigured' | 'fault'

/** Codes of Node.js for a connection that was not established. */
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
])

/** What an error says about its engine; undefined if nothing, as a bad request or a busy engine. */
export function classifyFault({ kind, cause }: EngineError): Fault | undefined {
  switch (kind) {
    case 'credentials':
    case 'model':
      return 'misconfigured'
    case 'connection': {
      const { code } = (cause ?? {}) as NodeJS.ErrnoException
      return code !== undefined && UNREACHABLE.has(code) ? 'refused' : 'fault'
    }
    case 'protocol':
    case 'status':
    case 'transport':
      return 'fault'
    case 'busy':
    case 'context':
    case 'refused':
    case 'schema':
      return undefined
  }
}
