// An operator suspends an organization, and its members read why.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { findViolations } from '../harness/browser/axe.ts'
import { visit } from '../harness/browser/visit.ts'
import { signIn } from '../harness/browser/web.ts'
import { openKey } from '../harness/seed/tenants.ts'
import { findProject } from '../../src/store/tenants/projects.ts'
import { openAcme } from './manage/acme.ts'

const acme = await openAcme()
after(() => acme[Symbol.asyncDispose]())
const { web } = acme

test('a suspended organization is refused at once, and its members read the reason', async () => {
  const { database } = web.environment.postgres
  const { id: projectId } = await findProject(database, acme.id, 'default')
  const { text: key } = await openKey(database, projectId)
  const models = async () => {
    const headers = { authorization: `Bearer ${key}` }
    const answer = await fetch(`${web.apiRoot}/models`, { headers })
    const { error } = (await answer.json()) as { error?: { code: string } }
    return [answer.status, error?.code]
  }
  assert.deepEqual(await models(), [200, undefined])
  const operator = await web.openPage({ locale: 'en-GB' })
  await signIn(operator, web, await web.openPerson({ platformRole: 'operator' }))
  await visit(operator, `${web.origin}/operator/organizations/acme`)
  await operator.getByRole('button', { name: 'Suspend organization' }).click()
  const dialog = operator.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('Your key sends spam.')
  assert.deepEqual(await findViolations(operator), [])
  await dialog.getByRole('button', { name: 'Suspend organization' }).click()
  await operator.getByText(/^Suspended since .*: Your key sends spam\.$/).waitFor()
  assert.deepEqual(await findViolations(operator), [])
  assert.deepEqual(await models(), [403, 'organization_suspended'])

  const member = await web.openPage({ locale: 'en-GB' })
  await signIn(member, web, acme.people.viewer)
  await visit(member, `${web.origin}/o/acme`)
  await member.getByRole('status').getByText('Your key sends spam.').waitFor()

  await operator.getByRole('button', { name: 'Lift suspension' }).click()
  const question = operator.getByRole('alertdialog')
  await question.getByRole('button', { name: 'Lift suspension' }).click()
  await question.waitFor({ state: 'detached' })
  assert.deepEqual(await models(), [200, undefined])
})
