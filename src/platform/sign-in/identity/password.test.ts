import assert from 'node:assert/strict'
import { argon2Sync } from 'node:crypto'
import { test } from 'node:test'
import { hashPassword, parsePhc, verifyPassword } from './password.ts'

test('a password is stored as salted Argon2id with 19 MiB and 2 passes', async () => {
  const [one, two] = [await hashPassword('a long password'), await hashPassword('a long password')]
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  assert.notEqual(one, two)
  assert.equal(await verifyPassword('a long password', one), true)
  assert.equal(await verifyPassword('a long password ', one), false)
  assert.equal(await verifyPassword('A long password', one), false)
})

test('a PHC string of another implementation and of another cost verifies', async () => {
  const salt = Buffer.from('somesaltsomesalt')
  const options = { memory: 1_024, passes: 3, parallelism: 2, tagLength: 24, nonce: salt }
  const hash = argon2Sync('argon2id', { ...options, message: 'пароль 密码 🔑 x' })
  const [saltText, hashText] = [salt, hash].map((bytes) => bytes.toString('base64'))
  const phc = `$argon2id$v=19$m=1024,t=3,p=2$${saltText?.slice(0, 22)}$${hashText}`
  assert.deepEqual(parsePhc(phc).cost, { memory: 1_024, passes: 3, parallelism: 2 })
  assert.equal(await verifyPassword('пароль 密码 🔑 x', phc), true)
  assert.equal(await verifyPassword('пароль 密码 🔑 y', phc), false)
})

test('nobody signs in without a stored password, and it takes as much work', async () => {
  const phc = await hashPassword('a long password')
  const workOf = async (stored: string | null) => {
    const before = process.cpuUsage()
    for (let times = 0; times < 5; times += 1)
      assert.equal(await verifyPassword('a wrong password', stored), false)
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  await workOf(phc)
  const [known, unknown] = [await workOf(phc), await workOf(null)]
  assert.ok(unknown > known / 3 && unknown < known * 3, `${unknown} against ${known} µs`)
  assert.equal(await verifyPassword('', null), false)
})

test('what is no PHC string of Argon2id is refused', () => {
  for (const phc of ['', 'x', '$argon2i$v=19$m=1,t=1,p=1$c29tZXNhbHQ$aaaaaaaaaaaaaaaaaaaaaaaa'])
    assert.throws(() => parsePhc(phc), TypeError)
})
