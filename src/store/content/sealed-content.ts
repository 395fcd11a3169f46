import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import { Content } from '../../lib/content.ts'
import { seal, unseal } from '../../lib/seal.ts'
import { timeOfUuid } from '../../lib/uuid.ts'
import type { ContentRecord } from '../../tenancy/content-record.ts'
import { dayOf } from '../postgres/partitions.ts'
import type { ContentKey, ContentKeys, KeyScope } from './content-keys.ts'

const compress = promisify(deflateRaw)
const expand = promisify(inflateRaw)

/** No stored content is larger; a record that decompresses to more is rejected. */
const EXPANDED_BYTES_MAX = 64 * 1024 * 1024

/** A record with its content encrypted. */
export type SealedRecord = {
  readonly record: ContentRecord
  readonly scope: KeyScope
  readonly keyId: string
  readonly sealed: Buffer
}

/**
 * Compresses before it encrypts, because encrypted data does not compress. The result is bound to
 * the request, its organization and the key, so that rows cannot be swapped.
 */
export async function sealRecord(record: ContentRecord, keys: ContentKeys): Promise<SealedRecord> {
  const { id, organizationId, retention, content } = record
  const scope = { organizationId, retention, day: dayOf(timeOfUuid(id)) }
  const key = await keys.find(scope)
  const plain = await compress(content.reveal())
  const sealed = seal(key.key, plain, contentContext(id, organizationId, key.id))
  return { record, scope, keyId: key.id, sealed }
}

/** Throws `SealBroken` if the stored data, its ids or the key do not match. */
export async function openSealed(
  stored: { readonly id: string; readonly organizationId: string; readonly sealed: Buffer },
  key: ContentKey,
): Promise<Content> {
  const context = contentContext(stored.id, stored.organizationId, key.id)
  const plain = unseal(key.key, stored.sealed, context)
  return new Content(await expand(plain, { maxOutputLength: EXPANDED_BYTES_MAX }))
}

function contentContext(id: string, organizationId: string, keyId: string): string {
  return `content of ${id} of ${organizationId} by ${keyId}`
}
