// Queries, commands of Valkey and requests in the guides are run on real servers.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { Client } from 'pg'
import { splitWords, readFencedCommands, readInlineCommands } from '../docs/shell.ts'
import { readFences, readInlineCode, readPages } from '../docs/pages.ts'
import { createDatabase } from '../harness/servers/database.ts'
import { requireStack } from '../harness/processes/service.ts'
import { valkeyCliCommand } from '../../stack/programs.ts'
import { startApi, type Api } from './start.ts'

const GUIDES = readPages('README.md', 'docs/install/*.md', 'docs/operating/*.md', 'docs/start/*.md')
const commandsOf = (program: string) =>
  GUIDES.flatMap((page) => [
    ...readFencedCommands(page),
    ...readInlineCommands(page, (name) => name === program || name === 'for'),
  ]).filter((command) => command.startsWith(`${program} `))

/** What stands after an option that says: this is what to run. */
function valuesOf(command: string, ...options: readonly string[]): string[] {
  const words = splitWords(command)
  return words.filter((_, at) => options.includes(words[at - 1] ?? ''))
}

const database = await createDatabase()
const client = new Client({ connectionString: database.url })
await client.connect()
after(async () => {
  await client.end()
  await database[Symbol.asyncDispose]()
})

describe('SQL in the guides', () => {
  const QUERIES = new Set([
    ...commandsOf('psql').flatMap((command) => valuesOf(command, '-c', '--command')),
    ...GUIDES.flatMap(({ text }) => [
      ...readInlineCode(text).filter((code) => /^select (?:.* from|pg_)/.test(code)),
      ...readFences(text, 'sql').flatMap((sql) => sql.split(/;\n/)),
    ]),
  ])
  const statements = [...QUERIES].filter((sql) => sql.trim() !== '')

  for (const sql of statements) {
    test(`is accepted by a migrated database: ${sql}`, async () => {
      await client.query('begin')
      try {
        // A role of the same name may exist on the server. PostgreSQL parses what creates a
        // database, and then refuses it inside a transaction.
        const own = sql.replace(/"?headrace(_\w+)?"?/, `"documented$1"`).replace('PID', '0')
        await (own.startsWith('create data')
          ? assert.rejects(client.query(own), { code: '25001' })
          : client.query(own))
      } finally {
        await client.query('rollback')
      }
    })
  }

  test('was found', () => assert.ok(statements.length > 8, statements.join('\n')))
})

describe('commands of Valkey in the guides', () => {
  for (const documented of new Set(commandsOf('valkey-cli'))) {
    test(`are accepted: ${documented}`, () => {
      const { command, args, env } = valkeyCliCommand()
      const words = splitWords(documented).slice(1)
      const given = words.map((word) => word.replace('$p', '00'))
      const url = requireStack().valkey.url
      const isServer = (at: number) => given[at] === '-u' || given[at - 1] === '-u'
      const asked = ['-u', url, ...given.filter((_, at) => !isServer(at))]
      const { status, stdout } = spawnSync(command, [...args, ...asked], { env, encoding: 'utf8' })
      assert.equal(status, 0)
      assert.doesNotMatch(stdout, /^ERR|^WRONGTYPE/)
    })
  }

  test('were found', () => assert.ok(commandsOf('valkey-cli').length > 2))
})

describe('requests in the guides', () => {
  let api: Api
  before(async () => void (api = await startApi()))
  after(() => api[Symbol.asyncDispose]())

  const asked = [...new Set(commandsOf('curl'))]
  const toApi = asked.filter((command) => command.includes('/compat/v1/'))
  const toHealth = asked.filter((command) => /:9090\/|INSTANCE\//.test(command))

  for (const command of toApi) {
    test(`get an answer of the API: ${command}`, async () => {
      const [, path = ''] = /\/compat\/v1(\/[\w/]+)/.exec(command) ?? []
      const [body] = valuesOf(command, '-d', '--data')
      const headers = valuesOf(command, '-H', '--header').map((header) => {
        const [name = '', value = ''] = header.split(': ')
        return [name, value.replace(/\$[A-Z_]+$|headrace_sk_…/, api.key)] as [string, string]
      })
      const sent = body && JSON.stringify({ ...JSON.parse(body), model: 'headrace/pebble' })
      const response = await fetch(`${api.service.apiRoot}${path}`, {
        method: sent === undefined ? 'GET' : 'POST',
        headers,
        ...(sent === undefined ? {} : { body: sent }),
      })
      assert.equal(response.status, 200, await response.text())
    })
  }

  for (const command of toHealth) {
    test(`get an answer of the health port: ${command}`, async () => {
      const [, path = ''] = /(?::9090|INSTANCE)(\/\w+)/.exec(command) ?? []
      const response = await fetch(`${api.service.healthAddress}${path}`)
      assert.notEqual(response.status, 404)
    })
  }

  test('the field that the guides read of /engines is there', async () => {
    const response = await fetch(`${api.service.healthAddress}/engines`)
    const fields = Object.keys((await response.json()) as object)
    const paths = commandsOf('jq').flatMap((command) => /^jq \.(\w+)$/.exec(command)?.[1] ?? [])
    assert.deepEqual(
      paths.filter((field) => !fields.includes(field)),
      [],
    )
  })

  test('were found', () => assert.ok(toApi.length > 4 && toHealth.length > 1))
})
