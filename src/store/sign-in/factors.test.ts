import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { endWithFile } from '../../../test/harness/end-with-file.ts'
import { createDatabase } from '../../../test/harness/servers/database.ts'
import { openPostgres } from '../postgres/postgres.ts'
import { createAccount } from '../tenants/accounts.ts'
import { storeChallenge, takeChallenge, type ChallengeKind } from './challenges.ts'
import {
  beginOneTimeFactor,
  deleteOneTimeFactor,
  findOneTimeFactor,
  useOneTimeStep,
} from './one-time-factors.ts'
import {
  deletePasskey,
  findPasskey,
  listPasskeys,
  notePasskeyUse,
  storePasskey,
} from './passkeys.ts'
import {
  countUnusedRecoveryCodes,
  replaceRecoveryCodes,
  useRecoveryCode,
} from './recovery-codes.ts'

/** Tries at the same moment of something that must succeed once. */
const TRIES = 20

const testDatabase = await createDatabase()
const postgres = openPostgres(testDatabase.url)
endWithFile(postgres, testDatabase)

async function newAccount(): Promise<string> {
  const email = `${randomBytes(6).toString('hex')}@example.com`
  const options = { email, state: 'active', registered: true } as const
  return (await createAccount(postgres.database, options)).id
}

async function countTrue(act: () => Promise<boolean>): Promise<number> {
  const results = await Promise.all(Array.from({ length: TRIES }, act))
  return results.filter(Boolean).length
}

test('a code of an authenticator app works once, also for many at the same moment', async () => {
  const { database } = postgres
  const account = await newAccount()
  const sealed = randomBytes(48)
  assert.equal(await beginOneTimeFactor(database, account, sealed), true)
  assert.equal((await findOneTimeFactor(database, account))?.confirmed, false)
  assert.equal(await countTrue(() => useOneTimeStep(database, account, sealed, 7)), 1)
  assert.deepEqual(await findOneTimeFactor(database, account), {
    sealed,
    lastStep: 7,
    confirmed: true,
  })
  assert.equal(await useOneTimeStep(database, account, sealed, 6), false)
  assert.equal(await useOneTimeStep(database, account, sealed, 8), true)
})

test('a confirmed factor is replaced only after its removal', async () => {
  const { database } = postgres
  const account = await newAccount()
  const [first, second] = [randomBytes(48), randomBytes(48)]
  await beginOneTimeFactor(database, account, first)
  assert.equal(await beginOneTimeFactor(database, account, second), true)
  assert.equal(await useOneTimeStep(database, account, first, 1), false)
  assert.equal(await useOneTimeStep(database, account, second, 1), true)
  assert.equal(await beginOneTimeFactor(database, account, first), false)
  assert.deepEqual((await findOneTimeFactor(database, account))?.sealed, second)
  assert.equal(await deleteOneTimeFactor(database, account), true)
  assert.equal(await deleteOneTimeFactor(database, account), false)
  assert.equal(await beginOneTimeFactor(database, account, first), true)
})

test('a recovery code works once, for its account, until the codes are replaced', async () => {
  const { database } = postgres
  const [account, other] = [await newAccount(), await newAccount()]
  const [first, second, third] = [randomBytes(32), randomBytes(32), randomBytes(32)]
  const replace = (hashes: Buffer[]) =>
    database
      .transaction()
      .execute((transaction) => replaceRecoveryCodes(transaction, account, hashes))
  await replace([first, second])
  assert.equal(await useRecoveryCode(database, other, first), false)
  assert.equal(await countTrue(() => useRecoveryCode(database, account, first)), 1)
  assert.equal(await countUnusedRecoveryCodes(database, account), 1)
  await replace([third])
  assert.equal(await useRecoveryCode(database, account, second), false)
  assert.equal(await useRecoveryCode(database, account, third), true)
})

test('a challenge is taken once, with its kind and account, before its end', async () => {
  const { database } = postgres
  const account = await newAccount()
  const kind: ChallengeKind = 'passkey registration'
  const newChallenge = async (accountId: string | null, lifeMs = 60_000) => {
    const hash = randomBytes(32)
    await storeChallenge(database, { hash, kind, accountId, data: hash, lifeMs })
    return { hash, kind, accountId }
  }
  const challenge = await newChallenge(account)
  const take = async (changes: object) =>
    (await takeChallenge(database, { ...challenge, ...changes })) !== undefined
  assert.equal(await take({ kind: 'passkey sign-in' }), false)
  assert.equal(await take({ accountId: null }), false)
  assert.equal(await take({ accountId: await newAccount() }), false)
  assert.equal(await take({ hash: randomBytes(32) }), false)
  assert.equal(await countTrue(() => take({})), 1)
  const open = await newChallenge(null)
  assert.equal(await takeChallenge(database, { ...open, accountId: account }), undefined)
  assert.deepEqual(await takeChallenge(database, open), open.hash)
  assert.equal(await takeChallenge(database, await newChallenge(null, 0)), undefined)
})

test('challenges that ended are removed when others are stored', async () => {
  const { database } = postgres
  const store = (lifeMs: number) => {
    const [hash, data] = [randomBytes(32), Buffer.alloc(0)]
    return storeChallenge(database, { hash, kind: 'sso', accountId: null, data, lifeMs })
  }
  for (let count = 0; count < 30; count += 1) await store(-1000)
  const rows = await database.selectFrom('challenges').select('hash').execute()
  assert.ok(rows.length <= 1, `${rows.length} are left`)
})

test('a passkey has one owner, and only the owner removes it', async () => {
  const { database } = postgres
  const [account, other] = [await newAccount(), await newAccount()]
  const passkey = {
    credentialId: randomBytes(16).toString('base64url'),
    accountId: account,
    publicKey: randomBytes(77),
    counter: 0,
    backedUp: false,
    transports: ['internal'],
    name: 'Laptop',
  }
  assert.ok(await storePasskey(database, passkey))
  assert.equal(await storePasskey(database, { ...passkey, accountId: other }), undefined)
  assert.equal((await findPasskey(database, passkey.credentialId))?.account_id, account)
  assert.equal((await listPasskeys(database, account)).length, 1)
  assert.equal(await deletePasskey(database, other, passkey.credentialId), undefined)
  assert.equal((await deletePasskey(database, account, passkey.credentialId))?.name, 'Laptop')
  assert.equal(await findPasskey(database, passkey.credentialId), undefined)
})

test('a counter is used once, unless the authenticator does not count', async () => {
  const { database } = postgres
  const credentialId = randomBytes(16).toString('base64url')
  await storePasskey(database, {
    credentialId,
    accountId: await newAccount(),
    publicKey: randomBytes(77),
    counter: 0,
    backedUp: true,
    transports: [],
    name: 'Phone',
  })
  const use = (counter: number) =>
    notePasskeyUse(database, credentialId, { counter, backedUp: true })
  assert.equal(await use(0), true)
  assert.equal(await use(0), true)
  assert.equal(await countTrue(() => use(5)), 1)
  assert.equal(await use(4), false)
  assert.equal(await use(0), false)
  assert.equal(await use(6), true)
})
