// What an operator does first, as a list that the running processes check off.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { operatorSetup as words } from '../../web/src/words/operator-setup.ts'
import { findFreePort } from '../harness/processes/console-process.ts'
import { findViolations } from '../harness/browser/axe.ts'
import { visit } from '../harness/browser/visit.ts'
import { openWeb, signIn } from '../harness/browser/web.ts'
import { openKey, openOrganization } from '../harness/seed/tenants.ts'

const healthPort = await findFreePort()
const web = await openWeb({
  environment: { HEADRACE_API_HEALTH_PORT: String(healthPort) },
  console: { api_health_urls: [`http://127.0.0.1:${healthPort}`] },
})
after(() => web[Symbol.asyncDispose]())
const { database } = web.environment.postgres

// Here there is one operator; later tests make more.
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

test('the overview shows rates and errors by code, from what the processes count', async () => {
  const page = await web.openPage({ locale: 'en-GB' })
  await signIn(page, web, await web.openPerson({ platformRole: 'operator' }))
  const { projectId } = await openOrganization(database, 'ample')
  const { text: key } = await openKey(database, projectId)
  await visit(page, `${web.origin}/operator`)
  const traffic = page.getByRole('region', { name: 'Traffic' })
  // The first reading tells no rate yet.
  await traffic.getByText('None', { exact: true }).waitFor()
  for (let sent = 0; sent < 3; sent += 1)
    await fetch(`${web.apiRoot}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'no/such', messages: [{ role: 'user', content: 'Hi' }] }),
    })
  await traffic.getByRole('listitem').filter({ hasText: 'model_not_found' }).waitFor()
  assert.match(await traffic.getByRole('listitem').innerText(), /model_not_found\s+3/)
  assert.deepEqual(await findViolations(page), [])
})
