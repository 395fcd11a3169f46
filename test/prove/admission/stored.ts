import { organizationKeys, type Valkey } from '../../../src/store/valkey.ts'

/** What Valkey itself has counted for an organization. */
export type Stored = {
  readonly requestsToday: number
  readonly tokensToday: number
  readonly requestDebt: number
  readonly tokenDebt: number
}

export async function readStored(valkey: Valkey, organizationId: string): Promise<Stored> {
  const { limits } = organizationKeys(organizationId)
  const fields = ['requests_today', 'tokens_today', 'request_debt', 'token_debt']
  const values = (await valkey.call('HMGET', [limits, ...fields])) as (string | null)[]
  const [requestsToday = 0, tokensToday = 0, requestDebt = 0, tokenDebt = 0] = values.map(Number)
  return { requestsToday, tokensToday, requestDebt, tokenDebt }
}

/** The request ids of the usage records that were opened, in order; one may stand there twice. */
export async function readOpened(valkey: Valkey, organizationId: string): Promise<string[]> {
  const { usage } = organizationKeys(organizationId)
  const entries = (await valkey.call('XRANGE', [usage, '-', '+'])) as [string, string[]][]
  return entries
    .filter(([, [field]]) => field === 'opened')
    .map(([, [, record = '']]) => (JSON.parse(record) as { id: string }).id)
}
