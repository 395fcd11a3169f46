import assert from 'node:assert/strict'
import { formatCount } from '../../../web/src/format/number.ts'
import { request as words } from '../../../web/src/words/request.ts'
import { usage } from '../../../web/src/words/usage.ts'
import { callFromPage } from '../../harness/browser/browser.ts'
import { waitUntil } from '../../harness/figures/measure.ts'
import { PATIENCE_MS, type Bench } from './bench.ts'
import { KEY_NAME, type SdkRequest } from './keys.ts'
import { openPageOf, ORGANIZATION, type People } from './people.ts'

/** The request of the SDK is in the sums of its key, with the counts that the SDK was told. */
export async function seeUsage(bench: Bench, people: People, sent: SdkRequest): Promise<void> {
  const { page } = people.owner
  await waitUntilPosted(people, sent.id)
  await openPageOf(bench, people.owner, '/usage?period=today&by=key')
  const table = page.getByRole('table', { name: usage.caption(usage.groups.key) })
  const row = table.getByRole('row').filter({ hasText: KEY_NAME })
  await row.waitFor()
  const cells = await row.getByRole('cell').allTextContents()
  for (const figure of [1, sent.inputTokens, sent.outputTokens])
    assert.ok(cells.includes(formatCount(figure)), `${figure} is not in ${cells.join(' | ')}`)
  await bench.keepPicture(page, 'usage')
}

/** The list leads to the request's page, which tells its steps and its cost. */
export async function explainRequest(
  bench: Bench,
  people: People,
  sent: SdkRequest,
): Promise<void> {
  const { page } = people.owner
  await openPageOf(bench, people.owner, '/requests')
  const row = page.getByRole('row').filter({ hasText: KEY_NAME })
  await row.first().waitFor()
  await bench.keepPicture(page, 'requests')
  await row.getByRole('link').first().click()
  await page.waitForURL(`**/requests/${sent.id}`)
  await page.getByRole('region', { name: words.happened }).getByText(KEY_NAME).waitFor()
  const told = (await page.getByRole('main').textContent()) ?? ''
  const { steps, facts } = words
  for (const part of [steps.authenticated, steps.admitted, steps.settled, facts.title, sent.id])
    assert.ok(told.includes(part), `the explanation lacks: ${part}`)
  await bench.keepPicture(page, 'explained')
}

/** A refusal says which limit refused it and when it would have passed. */
export async function explainRefusal(bench: Bench, people: People, id: string): Promise<void> {
  const { page } = people.owner
  await waitUntilPosted(people, id)
  await openPageOf(bench, people.owner, `/requests/${id}`)
  const title = words.titles.refused(words.limitName('requests_per_minute'))
  await page.getByRole('heading', { name: title, level: 1 }).waitFor()
  const [later = ''] = words.says.later('').split('*')
  assert.ok(((await page.getByRole('main').textContent()) ?? '').includes(later))
  await bench.keepPicture(page, 'refusal')
}

/** The worker posts what was used; until then the service has no trace of it. */
async function waitUntilPosted({ owner }: People, id: string): Promise<void> {
  const path = `/organizations/${ORGANIZATION.slug}/requests/${id}`
  const isPosted = async () => (await callFromPage(owner.page, 'GET', path)).status === 200
  await waitUntil(`the usage of ${id} to be posted`, isPosted, PATIENCE_MS)
}
