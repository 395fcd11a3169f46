import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto'

type RegistrationOptions = { readonly challenge: string; readonly user: { readonly id: string } }

/** A passkey without a browser: ES256, no attestation, with the person verified. */
export type SoftPasskey = {
  /** The answer to `POST /me/passkeys/options`. */
  register(options: RegistrationOptions): object
  /** The answer to `POST /sessions/passkey/options`. */
  answer(options: { readonly challenge: string }): object
}

const USER_PRESENT_AND_VERIFIED = 0x05
const HAS_CREDENTIAL = 0x40

export function createPasskey(origin: string): SoftPasskey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const credentialId = randomBytes(32)
  const party = sha256(new URL(origin).hostname)
  const id = credentialId.toString('base64url')
  let userHandle = ''
  const clientData = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const envelope = (response: object) => {
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response }
  }
  return {
    register({ challenge, user }) {
      userHandle = user.id
      const key = coseKey(Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url'))
      const authData = Buffer.concat([
        party,
        Buffer.from([USER_PRESENT_AND_VERIFIED | HAS_CREDENTIAL]),
        // Counter and authenticator model.
        Buffer.alloc(4 + 16),
        Buffer.from([0, credentialId.length]),
        credentialId,
        key,
      ])
      const attestation = Buffer.concat([
        head(5, 3),
        text('fmt'),
        text('none'),
        text('attStmt'),
        head(5, 0),
        text('authData'),
        bytes(authData),
      ])
      return envelope({
        clientDataJSON: clientData('webauthn.create', challenge).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal'],
      })
    },
    answer({ challenge }) {
      const authData = Buffer.concat([
        party,
        Buffer.from([USER_PRESENT_AND_VERIFIED]),
        Buffer.alloc(4),
      ])
      const client = clientData('webauthn.get', challenge)
      const signed = Buffer.concat([authData, sha256(client)])
      const signature = createSign('sha256').update(signed).sign(privateKey)
      return envelope({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle,
      })
    },
  }
}

/** EC2, ES256, P-256 and the point, as CBOR. */
function coseKey(x: Buffer, y: Buffer): Buffer {
  const entries = [1, 2, 3, -7, -1, 1].map(integer)
  return Buffer.concat([head(5, 5), ...entries, integer(-2), bytes(x), integer(-3), bytes(y)])
}

function head(major: number, count: number): Buffer {
  if (count < 24) return Buffer.from([(major << 5) | count])
  if (count < 256) return Buffer.from([(major << 5) | 24, count])
  return Buffer.from([(major << 5) | 25, count >> 8, count & 255])
}

function integer(value: number): Buffer {
  return value >= 0 ? head(0, value) : head(1, -1 - value)
}

function bytes(value: Buffer): Buffer {
  return Buffer.concat([head(2, value.length), value])
}

function text(value: string): Buffer {
  return Buffer.concat([head(3, value.length), Buffer.from(value)])
}

function sha256(value: Buffer | string): Buffer {
  return createHash('sha256').update(value).digest()
}
