import { organizationKeys } from '../../../src/store/valkey/keys.ts'
import { type Valkey } from '../../../src/store/valkey/valkey.ts'
import { type OpenedRecord } from '../../../src/tenancy/usage-record.ts'

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

/** The open records of the organization, without those of others in its partition. */
export async function readOpen(valkey: Valkey, organizationId: string): Promise<OpenedRecord[]> {
  const { open } = organizationKeys(organizationId)
  const texts = (await valkey.call('HVALS', [open])) as string[]
  const records = texts.map((text) => JSON.parse(text) as OpenedRecord)
  return records.filter((record) => record.organizationId === organizationId)
}
