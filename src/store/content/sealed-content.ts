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

/** Nothing that was kept is larger; a stored record that claims to be is not read. */
const EXPANDED_BYTES_MAX = 64 * 1024 * 1024

/** What is stored of a record in place of its content. */
export type SealedRecord = {
  readonly record: ContentRecord
  readonly scope: KeyScope
  readonly keyId: string
  readonly sealed: Buffer
}

/**
 * Compresses and encrypts, in this order: what is encrypted cannot be compressed any more. Bound to
 * the request, its organization and the key, so that no row can pass for another.
 */
export async function sealRecord(record: ContentRecord, keys: ContentKeys): Promise<SealedRecord> {
  const { id, organizationId, retention, content } = record
  const scope = { organizationId, retention, day: dayOf(timeOfUuid(id)) }
  const key = await keys.find(scope)
  const plain = await compress(content.reveal())
  const sealed = seal(key.key, plain, ownerOf(id, organizationId, key.id))
  return { record, scope, keyId: key.id, sealed }
}

/** Opens what was stored. Throws `SealBroken` if anything about it is not as it was. */
export async function openSealed(
  stored: { readonly id: string; readonly organizationId: string; readonly sealed: Buffer },
  key: ContentKey,
): Promise<Content> {
  const owner = ownerOf(stored.id, stored.organizationId, key.id)
  const plain = unseal(key.key, stored.sealed, owner)
  return new Content(await expand(plain, { maxOutputLength: EXPANDED_BYTES_MAX }))
}

function ownerOf(id: string, organizationId: string, keyId: string): string {
  return `content of ${id} of ${organizationId} by ${keyId}`
}
