import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { signChecksums } from './sign-checksums.ts'

const folder = mkdtempSync(join(tmpdir(), 'headrace-sign-'))
after(() => rmSync(folder, { recursive: true }))
const SUMS = Buffer.from('00  headrace.tgz\n')
writeFileSync(join(folder, 'SHA256SUMS'), SUMS)
const isSigned = (text: Buffer, publicKey: string) =>
  verify(null, text, createPublicKey(publicKey), readFileSync(join(folder, 'SHA256SUMS.sig')))

test('checksums are signed, and changed ones do not match the signature', () => {
  const { publicKey } = signChecksums(folder)
  assert.ok(isSigned(SUMS, publicKey))
  assert.ok(!isSigned(Buffer.from('01  headrace.tgz\n'), publicKey))
  assert.ok(!isSigned(SUMS, anotherKey()))
})

function anotherKey(): string {
  const { publicKey } = generateKeyPairSync('ed25519')
  return publicKey.export({ type: 'spki', format: 'pem' }).toString()
}

test('a release of your own is signed with your key', () => {
  const own = generateKeyPairSync('ed25519')
  const file = join(folder, 'own.pem')
  writeFileSync(file, own.privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const { publicKey } = signChecksums(folder, file)
  assert.equal(publicKey, own.publicKey.export({ type: 'spki', format: 'pem' }).toString())
  assert.ok(isSigned(SUMS, publicKey))
})

test('a key of another kind is refused', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const file = join(folder, 'ec.pem')
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  assert.throws(() => signChecksums(folder, file), /not ed25519/)
})
