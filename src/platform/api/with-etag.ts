import { etagOf } from '../use-case/etag.ts'
import type { Reply } from './route.ts'

/** A single thing, with the version that If-Match names. */
export function withEtag(value: object): Reply {
  return { body: value, headers: { etag: etagOf(value) } }
}
