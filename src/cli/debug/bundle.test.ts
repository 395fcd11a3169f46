import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { createCommands } from '../../../test/harness/processes/command.ts'

/** In places that a bundle must not read, or must not keep. */
const CANARY = 'canary-7f3a'
const SECRETS = {
  HEADRACE_CONTENT_KEY: Buffer.alloc(32, 9).toString('base64url'),
  HEADRACE_SMTP_URL: `smtp://user:mail-${CANARY}@127.0.0.1:1`,
}

const commands = await createCommands()
const folder = await mkdtemp(join(tmpdir(), 'headrace-bundle-'))

after(async () => {
  await rm(folder, { recursive: true })
  await commands[Symbol.asyncDispose]()
})

test('a bundle has neither secrets nor content nor names of organizations', async () => {
  await commands.run(['organization', 'create', `org-${CANARY}`])
  const log = join(folder, 'api.log')
  const line = { level: 30, time: 1, address: '127.0.0.1:8080', msg: 'listening' }
  const foreign = [CANARY, JSON.stringify({ ...line, body: CANARY }), `{"${CANARY}":1}`]
  await writeFile(log, [...foreign, JSON.stringify(line)].join('\n'))
  const file = join(folder, 'bundle.tar.gz')
  const args = ['debug', 'bundle', '--output', file, '--log', log]
  const { code, stdout, stderr } = await commands.run(args, SECRETS)
  assert.equal(code, 0, stderr)
  const listed = execFileSync('tar', ['--list', '--gzip', '--file', file], { encoding: 'utf8' })
  for (const name of ['doctor', 'versions', 'configuration', 'usage'])
    assert.match(listed, new RegExp(`/${name}\\.json$`, 'm'))
  const contents = gunzipSync(await readFile(file)).toString('latin1')
  assert.match(contents, /"address":"127\.0\.0\.1:8080"/)
  assert.match(contents, /"pending": \[\]/)
  for (const secret of [CANARY, commands.signingKey, SECRETS.HEADRACE_CONTENT_KEY])
    assert.ok(!`${contents}${stdout}${stderr}`.includes(secret), `found ${secret}`)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
})

test('a bundle is written without a valid configuration, and says what is wrong', async () => {
  const file = join(folder, 'invalid.tar.gz')
  const broken = { HEADRACE_DATABASE_URL: '' }
  const { code, stderr } = await commands.run(['debug', 'bundle', '--output', file], broken)
  assert.equal(code, 0, stderr)
  const contents = gunzipSync(await readFile(file)).toString()
  assert.match(contents, /HEADRACE_DATABASE_URL is not set/)
})

test('a log that cannot be read is an error, not an empty file', async () => {
  const { code, stderr } = await commands.run(['debug', 'bundle', '--log', join(folder, 'none')])
  assert.equal(code, 1)
  assert.match(stderr, /the log cannot be read \(ENOENT\)/)
})
