import { useApi } from '../../../api/use-api.ts'

const EVERY_MS = 2000

/** The engines and queues of all processes, read once for all tables that show them. */
export function useEngines() {
  return useApi('GET /operator/engines', {}, { every: EVERY_MS })
}
