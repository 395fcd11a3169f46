import type { EngineError } from '../../engines/adapters/engine.ts'
import { reasonOf } from '../doctor/run-checks.ts'

/** Why an engine could not be asked. */
export function failureOf(error: EngineError): string {
  if (error.kind === 'credentials') return 'rejects the API key'
  if (error.kind === 'busy') return 'is busy or still loads its model'
  return error.kind === 'connection' ? reasonOf(error.cause) : error.message
}
