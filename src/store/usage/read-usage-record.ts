import { Type, type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { timeOfUuid } from '../../lib/uuid.ts'
import { CREDENTIAL_KINDS } from '../../tenancy/plan.ts'
import { RETENTIONS } from '../../tenancy/retention.ts'
import type { UsageRecord } from '../../tenancy/usage-record.ts'

/** The columns are 32 bits wide, that of attempts 16. */
const INTEGER_MAX = 2 ** 31 - 1
const ATTEMPTS_MAX = 2 ** 15 - 1

/** Amounts of money are JSON numbers, which are exact up to here. */
const AMOUNT_MAX = Number.MAX_SAFE_INTEGER

/** The end of the year 9999, the last one that PostgreSQL and JavaScript format alike. */
const TIME_MS_MAX = Date.UTC(10_000, 0) - 1

const uuid = Type.String({
  pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
})
const uuidV7 = Type.String({
  pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$',
})
/** Model ids and engine names as the configuration allows them. */
const name = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._/-]*$', maxLength: 256 })
const count = Type.Integer({ minimum: 0, maximum: INTEGER_MAX })
const amount = Type.Integer({ minimum: 0, maximum: AMOUNT_MAX })

const price = Type.Union([
  Type.Object({ input: amount, cachedInput: amount, output: amount }),
  Type.Null(),
])

const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

const instance = Type.String({ minLength: 1, maxLength: 256 })

const identifiers = {
  id: uuidV7,
  organizationId: uuid,
  projectId: uuid,
  credentialId: uuid,
  price,
  // Processes of the release before do not write these.
  accountId: Type.Optional(orNull(uuid)),
  credentialKind: Type.Optional(orNull(Type.Enum([...CREDENTIAL_KINDS]))),
  retention: Type.Optional(orNull(Type.Enum([...RETENTIONS]))),
}

/** What a record of the release before lacks. */
export const UNKNOWN = { accountId: null, credentialKind: null, retention: null } as const
const UNKNOWN_OF_SETTLED = { ...UNKNOWN, reserved: null, instance: null, attempts: null } as const

// Unknown members are allowed: a newer version may add them, and they have no column here.

export const OpenedRecordSchema = Type.Object({
  ...identifiers,
  limitsId: Type.Optional(uuid),
  model: Type.Union([name, Type.Null()]),
  reserved: amount,
  promptTokensMax: amount,
  outputTokensMax: amount,
  instance,
  counted: Type.Optional(Type.Literal(true)),
})

const usageRecord = Compile(
  Type.Object({
    ...identifiers,
    model: name,
    reserved: Type.Optional(orNull(amount)),
    instance: Type.Optional(orNull(instance)),
    attempts: Type.Optional(orNull(Type.Integer({ minimum: 0, maximum: ATTEMPTS_MAX }))),
    engine: Type.Union([name, Type.Null()]),
    outcome: Type.Enum(['completed', 'failed', 'abandoned', 'lost']),
    basis: Type.Enum(['engine', 'engine_partial', 'checkpoint', 'none']),
    promptTokens: count,
    cachedTokens: count,
    completionTokens: count,
    reasoningTokens: count,
    cost: amount,
    queuedMs: Type.Union([count, Type.Null()]),
    firstTokenMs: Type.Union([count, Type.Null()]),
    durationMs: Type.Union([count, Type.Null()]),
    settledAtMs: Type.Integer({ minimum: 0, maximum: TIME_MS_MAX }),
  }),
)

/** Undefined if the table cannot store the record; an entry of the log may contain anything. */
export function readUsageRecord(text: string): UsageRecord | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!usageRecord.Check(value)) return undefined
  return timeOfUuid(value.id) <= TIME_MS_MAX ? { ...UNKNOWN_OF_SETTLED, ...value } : undefined
}
