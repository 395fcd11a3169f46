import { generateKeyPairSync, sign } from 'node:crypto'

const SEQUENCE = 0x30
const SET = 0x31
const INTEGER = 0x02
const BIT_STRING = 0x03
const OBJECT_ID = 0x06
const UTF8_STRING = 0x0c
const UTC_TIME = 0x17
const VERSION = 0xa0

const COMMON_NAME = '550403'
const ECDSA_WITH_SHA256 = '2a8648ce3d040302'

/** One value of ASN.1's distinguished encoding. */
function encode(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts)
  const { length } = body
  const size = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.of(tag, ...size), body])
}

/** A key and a certificate for it that nobody vouches for: enough for a connection to encrypt. */
export function createCertificate(host = 'localhost'): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const algorithm = encode(SEQUENCE, encode(OBJECT_ID, Buffer.from(ECDSA_WITH_SHA256, 'hex')))
  const common = encode(OBJECT_ID, Buffer.from(COMMON_NAME, 'hex'))
  const text = encode(UTF8_STRING, Buffer.from(host))
  const name = encode(SEQUENCE, encode(SET, encode(SEQUENCE, common, text)))
  const time = (value: string) => encode(UTC_TIME, Buffer.from(value))
  const signed = encode(
    SEQUENCE,
    encode(VERSION, encode(INTEGER, Buffer.of(2))),
    encode(INTEGER, Buffer.of(1)),
    algorithm,
    name,
    encode(SEQUENCE, time('200101000000Z'), time('491231235959Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  )
  const signature = sign('sha256', signed, privateKey)
  const whole = encode(
    SEQUENCE,
    signed,
    algorithm,
    encode(BIT_STRING, Buffer.of(0), signature),
  ).toString('base64')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${whole}\n-----END CERTIFICATE-----\n`,
  }
}
