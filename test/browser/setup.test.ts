// What an operator does first, as a list that the running processes check off.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { operatorSetup as words } from '../../web/src/words/operator-setup.ts'
import { findFreePort } from '../harness/processes/console-process.ts'
import { visit } from '../harness/browser/visit.ts'
import { openWeb, signIn } from '../harness/browser/web.ts'
import { openOrganization } from '../harness/seed/tenants.ts'

const healthPort = await findFreePort()
const web = await openWeb({
  environment: { HEADRACE_API_HEALTH_PORT: String(healthPort) },
  console: { api_health_urls: [`http://127.0.0.1:${healthPort}`] },
})
after(() => web[Symbol.asyncDispose]())
const { database } = web.environment.postgres

test('the steps of the first run are checked off by what processes report', async () => {
  const { id } = await openOrganization(database, 'ample')
  const facts = { organizationId: id, role: 'owner', platformRole: 'operator' } as const
  const page = await web.openPage()
  await signIn(page, web, await web.openPerson(facts))
  await visit(page, `${web.origin}/operator`)
  const setup = page.getByRole('region', { name: words.title })
  const step = (name: string) =>
    setup.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) })
  const done = { has: page.getByRole('img', { name: 'Done' }) }
  await step(words.engine)
    .filter(done)
    .getByText(words.ready('local', 'llama-server', '16'))
    .waitFor()
  await step(words.model).filter(done).waitFor()
  assert.equal(await step(words.test).getAttribute('aria-current'), 'step')
  await step(words.test).getByRole('link', { name: words.toPlayground }).waitFor()
  await step(words.access).getByText(words.accessFacts.api_url.has).waitFor()
  await step(words.access).getByText(words.accessFacts.contact.lacks).waitFor()
  await step(words.operators).getByText(words.lacksOthers).waitFor()
  await setup.getByRole('button', { name: words.hide }).click()
  await setup.waitFor({ state: 'detached' })
  await visit(page, `${web.origin}/operator`)
  assert.equal(await setup.count(), 0)
})
