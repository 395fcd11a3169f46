import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Statements } from '../../src/contract/management/statement.ts'
import { issueStatements } from '../../src/store/ledger/issue-statements.ts'
import { findProject } from '../../src/store/tenants/projects.ts'
import { openConsoleOrganization } from '../harness/clients/console-members.ts'
import { startConsole, type Headers } from '../harness/processes/console.ts'
import { addUsage } from '../harness/seed/billing-rows.ts'

const console_ = await startConsole()
after(() => console_[Symbol.asyncDispose]())

async function openBilled() {
  const organization = await openConsoleOrganization(console_)
  const { id } = organization
  const { pool } = console_.postgres
  await pool.query(`update organizations set created_at = '2026-08-01' where id = $1`, [id])
  const { id: projectId } = await findProject(console_.postgres.database, id, 'default')
  await addUsage(pool, { id, projectId }, 1_500_000, Date.UTC(2026, 8, 30))
  while ((await issueStatements(pool, '2026-09-01', 50)) === 50);
  const read = (path: string, as: Headers) =>
    fetch(`${console_.root}/organizations/${id}/statements${path}`, { headers: { ...as } })
  return { ...organization, projectId, read }
}

test('owners see each month that is over, and download its cells as JSON and CSV', async () => {
  const { owner, projectId, read, events } = await openBilled()
  const { data } = (await (await read('', owner.as)).json()) as Statements
  assert.deepEqual(
    data.map(({ month, requests, cost }) => [month, requests, cost.amount]),
    [['2026-09', 2, '1.50']],
  )
  const json = (await (await read('/2026-09/cells', owner.as)).json()) as { data: object[] }
  assert.deepEqual(json.data, [
    {
      used_in: '2026-09',
      project: projectId,
      project_name: 'default',
      model: 'example/large',
      requests: 2,
      prompt_tokens: 100,
      cached_tokens: 40,
      completion_tokens: 20,
      reasoning_tokens: 5,
      cost: '1.50',
      cost_micro: 1_500_000,
      currency: 'USD',
    },
  ])
  const csv = await read('/2026-09/cells?format=csv', owner.as)
  assert.match(csv.headers.get('content-disposition') ?? '', /-statement-2026-09\.csv"$/)
  const [, row] = (await csv.text()).split('\r\n')
  assert.equal(row, `2026-09,${projectId},default,example/large,2,100,40,20,5,1.50,1500000,USD`)
  const exported = (await events()).map(({ action }) => action)
  assert.deepEqual(exported, ['statement.export', 'statement.export'])
})

test('a month without a statement is unknown, and members see none', async () => {
  const { owner, open, read } = await openBilled()
  for (const month of ['2026-08', '2026-13', 'x'])
    assert.equal((await read(`/${month}/cells`, owner.as)).status, 404)
  const member = await open('member')
  assert.equal((await read('', member.as)).status, 403)
  assert.equal((await read('/2026-09/cells', member.as)).status, 403)
})
