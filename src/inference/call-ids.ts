import { createHmac, hkdfSync, randomBytes, randomUUID } from 'node:crypto'

/**
 * Ids of tool calls. A model sometimes calls a tool without any reasoning, and SDKs drop the empty
 * string that says so; a model that needs the reasoning of every turn would then refuse the
 * conversation for ever. So the ids of such a step carry a mark, which comes back with them.
 */
export type CallIds = {
  /** A new id. All have the same form, so that nothing but us can tell a marked one. */
  create(organizationId: string, reasoned: boolean): string
  isMarked(id: string, organizationId: string): boolean
}

const PREFIX = 'call_'
const NONCE_LENGTH = 12
/** 48 bits: nobody forges a mark by guessing at the rate of our requests. */
const MARK_LENGTH = 12

/** Without a secret of the operator's, marks hold for the life of this process only. */
export function createCallIds(secret: string | undefined): CallIds {
  const seed = secret === undefined ? randomBytes(32) : Buffer.from(secret, 'base64url')
  const key = Buffer.from(hkdfSync('sha256', seed, '', 'tool call without reasoning', 32))
  const markOf = (nonce: string, organizationId: string) =>
    createHmac('sha256', key)
      .update(`${organizationId} ${nonce}`)
      .digest('hex')
      .slice(0, MARK_LENGTH)
  return {
    create(organizationId, reasoned) {
      const random = randomUUID().replaceAll('-', '')
      const nonce = random.slice(-NONCE_LENGTH)
      const rest = reasoned ? random.slice(0, MARK_LENGTH) : markOf(nonce, organizationId)
      return `${PREFIX}${nonce}${rest}`
    },
    isMarked(id, organizationId) {
      if (!id.startsWith(PREFIX) || id.length !== PREFIX.length + NONCE_LENGTH + MARK_LENGTH)
        return false
      const nonce = id.slice(PREFIX.length, PREFIX.length + NONCE_LENGTH)
      return id.slice(-MARK_LENGTH) === markOf(nonce, organizationId)
    },
  }
}
