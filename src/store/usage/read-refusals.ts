import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { timeOfUuid } from '../../lib/uuid.ts'
import { CREDENTIAL_KINDS } from '../../tenancy/plan.ts'
import type { Refusal } from '../../tenancy/refusal.ts'
import { organizationKeys } from '../valkey/keys.ts'
import type { Valkey } from '../valkey/valkey.ts'
import { KEEP_MS, KEPT_MAX } from './refusals.ts'

/** Entries per command. All there are is little more than `KEPT_MAX`. */
const CHUNK = 200

const text = Type.String({ minLength: 1, maxLength: 256 })
const textOrNull = Type.Union([text, Type.Null()])

const storedRefusal = Compile(
  Type.Object({
    id: text,
    organizationId: text,
    projectId: text,
    credentialId: text,
    credentialKind: Type.Enum([...CREDENTIAL_KINDS]),
    accountId: textOrNull,
    status: Type.Integer(),
    code: text,
    param: textOrNull,
    model: textOrNull,
    limits: Type.Array(text),
    checked: Type.Optional(
      Type.Array(
        Type.Object({
          name: text,
          needed: Type.Integer(),
          left: Type.Integer(),
          of: Type.Integer(),
        }),
      ),
    ),
    retryAfterMs: Type.Union([Type.Number({ minimum: 0 }), Type.Null()]),
  }),
)

/** An absent member allows everything. */
export type RefusalFilter = {
  readonly projectId?: string
  readonly credentialId?: string
  readonly accountId?: string
  readonly model?: string
  readonly status?: number
}

export type RefusalPage = {
  readonly refusals: readonly Refusal[]
  /** Continue after this entry; null at the end. */
  readonly next: string | null
  /** How many more there were between these, which were only counted. */
  readonly more: number
}

type Entry = { readonly entryId: string; readonly refusal: Refusal | undefined; more: number }

/** The refused requests of an organization, newest first. */
export async function listRefusals(
  valkey: Pick<Valkey, 'call'>,
  organizationId: string,
  filter: RefusalFilter,
  page: { readonly limit: number; readonly after?: string },
): Promise<RefusalPage> {
  const refusals: Refusal[] = []
  let [more, moreSinceLast] = [0, 0]
  let last: string | null = null
  for await (const entry of entriesOf(valkey, organizationId, page.after)) {
    const { entryId, refusal } = entry
    moreSinceLast += entry.more
    if (refusal === undefined || !matches(refusal, filter)) continue
    if (refusals.length === page.limit) return { refusals, next: last, more }
    more += moreSinceLast
    moreSinceLast = 0
    refusals.push(refusal)
    last = entryId
  }
  return { refusals, next: null, more: more + moreSinceLast }
}

export async function findRefusal(
  valkey: Pick<Valkey, 'call'>,
  organizationId: string,
  id: string,
): Promise<Refusal | undefined> {
  for await (const { refusal } of entriesOf(valkey, organizationId))
    if (refusal?.id === id) return refusal
  return undefined
}

/** How long after a refusal its entry is looked for; processes write theirs once a second. */
const WRITTEN_MS = 60_000

/**
 * How many requests were refused in a period; null if that is not kept. It reads the entries of the
 * period. What was only counted, because there was too much at once, is included without a filter.
 */
export async function countRefusals(
  valkey: Pick<Valkey, 'call'>,
  organizationId: string,
  filter: RefusalFilter,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<number | null> {
  const { refused } = organizationKeys(organizationId)
  if (fromMs < Date.now() - KEEP_MS) return null
  const length = Number(await valkey.call('XLEN', [refused]))
  const oldest = await valkey.call('XRANGE', [refused, '-', '+', 'COUNT', 1])
  const [first] = oldest as [string, unknown][]
  // Beyond so many the oldest are dropped.
  if (length >= KEPT_MAX && first !== undefined && Number.parseInt(first[0], 10) > fromMs)
    return null
  let count = 0
  const unfiltered = Object.keys(filter).length === 0
  const after = `${toMs + WRITTEN_MS}-0`
  for await (const { refusal, more, entryId } of entriesOf(valkey, organizationId, after, fromMs)) {
    const at = refusal === undefined ? Number.parseInt(entryId, 10) : timeOfUuid(refusal.id)
    if (at < fromMs || at >= toMs) continue
    if (refusal === undefined) count += unfiltered ? more : 0
    else if (matches(refusal, filter)) count += 1
  }
  return count
}

/** Whether a text is the place of an entry, as `next` is. */
export function isEntryId(value: string): boolean {
  return /^\d{1,15}-\d{1,15}$/.test(value)
}

function matches(refusal: Refusal, filter: RefusalFilter): boolean {
  return (Object.keys(filter) as (keyof RefusalFilter)[]).every(
    (name) => filter[name] === undefined || filter[name] === refusal[name],
  )
}

async function* entriesOf(
  valkey: Pick<Valkey, 'call'>,
  organizationId: string,
  after?: string,
  fromMs = 0,
): AsyncGenerator<Entry, void> {
  const { refused } = organizationKeys(organizationId)
  const oldest = Math.max(fromMs, Date.now() - KEEP_MS)
  for (let below = after === undefined ? '+' : `(${after}`; ;) {
    const reply = await valkey.call('XREVRANGE', [refused, below, oldest, 'COUNT', CHUNK])
    const entries = reply as [string, [string, string]][]
    for (const [entryId, [name, value]] of entries)
      yield name === 'more'
        ? { entryId, refusal: undefined, more: Number(value) }
        : { entryId, refusal: readRefusal(value), more: 0 }
    const last = entries.at(-1)
    if (last === undefined || entries.length < CHUNK) return
    below = `(${last[0]}`
  }
}

/** Undefined if a newer release wrote it in a form that this one does not know. */
function readRefusal(value: string): Refusal | undefined {
  const parsed: unknown = JSON.parse(value)
  return storedRefusal.Check(parsed) ? parsed : undefined
}
