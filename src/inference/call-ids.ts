import { createHmac, hkdfSync, randomBytes, randomUUID } from 'node:crypto'

/**
 * Ids of tool calls. A model sometimes calls a tool without reasoning, and SDKs drop the empty
 * `reasoning_content` of that step. For a model with `reasoning_history: required` every later
 * request of the conversation would then be rejected. So the ids of such a step carry a mark, which
 * clients send back with them.
 */
export type CallIds = {
  /** Marked and unmarked ids have the same form: only this service can tell them apart. */
  create(organizationId: string, reasoned: boolean): string
  isMarked(id: string, organizationId: string): boolean
}

const PREFIX = 'call_'
const NONCE_LENGTH = 12
/** 48 bits: too many to guess at the rate at which requests are admitted. */
const MARK_LENGTH = 12

/**
 * Marks are made with the first secret and recognized with all. Without any they are valid only
 * within this process.
 */
export function createCallIds(secrets: readonly string[]): CallIds {
  const seeds = secrets.map((secret) => Buffer.from(secret, 'base64url'))
  const [first = randomBytes(32), ...others] = seeds
  const current = deriveKey(first)
  const keys = [current, ...others.map((seed) => deriveKey(seed))]
  const markOf = (key: Buffer, nonce: string, organizationId: string) =>
    createHmac('sha256', key)
      .update(`${organizationId} ${nonce}`)
      .digest('hex')
      .slice(0, MARK_LENGTH)
  return {
    create(organizationId, reasoned) {
      const random = randomUUID().replaceAll('-', '')
      const nonce = random.slice(-NONCE_LENGTH)
      const rest = reasoned ? random.slice(0, MARK_LENGTH) : markOf(current, nonce, organizationId)
      return `${PREFIX}${nonce}${rest}`
    },
    isMarked(id, organizationId) {
      if (!id.startsWith(PREFIX) || id.length !== PREFIX.length + NONCE_LENGTH + MARK_LENGTH)
        return false
      const nonce = id.slice(PREFIX.length, PREFIX.length + NONCE_LENGTH)
      const mark = id.slice(-MARK_LENGTH)
      return keys.some((key) => mark === markOf(key, nonce, organizationId))
    },
  }
}

function deriveKey(seed: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', seed, '', 'tool call without reasoning', 32))
}
