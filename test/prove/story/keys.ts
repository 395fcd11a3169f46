import assert from 'node:assert/strict'
import { everywhere } from '../../../web/src/words/everywhere.ts'
import { keyDialogs } from '../../../web/src/words/key-dialogs.ts'
import { firstRun } from '../../../web/src/words/first-run.ts'
import { keys } from '../../../web/src/words/keys.ts'
import { DEMO_MODEL } from '../../harness/environment.ts'
import type { Bench } from './bench.ts'
import { openPageOf, type People } from './people.ts'
import { openSdk, type OpenAi, type OpenAiError } from './sdk.ts'

export const KEY_NAME = 'weather station'
const QUESTION = 'What is the capital of France?'
const UNAUTHORIZED = 401

export type SdkRequest = {
  readonly id: string
  readonly inputTokens: number
  readonly outputTokens: number
}

/** Creates a key in the dialog that registration has opened. Returns the key. */
export async function createFirstKey(bench: Bench, { owner }: People): Promise<string> {
  const { page } = owner
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(keyDialogs.name, { exact: true }).fill(KEY_NAME)
  await bench.keepPicture(page, 'create-key')
  await dialog.getByRole('button', { name: keyDialogs.create, exact: true }).click()
  await page.getByRole('dialog', { name: keyDialogs.copyNow }).waitFor()
  const shown = await dialog.getByText(/^headrace_sk_[\w-]+$/).textContent()
  await bench.keepPicture(page, 'key-once')
  await dialog.getByRole('button', { name: everywhere.copiedIt }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText(firstRun.waiting(KEY_NAME)).waitFor()
  assert.ok(shown !== null)
  const left = await page.content()
  assert.ok(!left.includes(shown), 'the key is still in the page')
  await openPageOf(bench, owner, '/keys')
  await page.getByRole('link', { name: KEY_NAME }).waitFor()
  await bench.keepPicture(page, 'keys')
  return shown
}

/** One request by the SDK with the key. */
export async function callWithSdk({ web }: Bench, key: string): Promise<SdkRequest> {
  const sdk = await openSdk(web.apiRoot, key)
  const { data, response } = await ask(sdk)
  assert.match(data.choices[0]?.message.content ?? '', /Paris/)
  const { prompt_tokens: inputTokens, completion_tokens: outputTokens } = data.usage
  return { id: response.headers.get('x-request-id') ?? '', inputTokens, outputTokens }
}

/** Revokes the key on its page; the SDK's next request is refused. */
export async function revokeKey(bench: Bench, { owner }: People, key: string): Promise<void> {
  const { page } = owner
  const sdk = await openSdk(bench.web.apiRoot, key)
  await openPageOf(bench, owner, '/keys')
  await page.getByRole('button', { name: keys.moreAbout(KEY_NAME) }).click()
  await page.getByRole('menuitem', { name: keys.revoke }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByLabel(keyDialogs.typeName(KEY_NAME)).fill(KEY_NAME)
  await dialog.getByLabel(keyDialogs.reason).fill('The story is at its turning point')
  await bench.keepPicture(page, 'revoke')
  const answered = page.waitForResponse((answer) => answer.url().endsWith('/revoke'))
  await dialog.getByRole('button', { name: keyDialogs.revoke }).click()
  await answered
  const refusal = await refusalOf(sdk)
  assert.equal(refusal.status, UNAUTHORIZED, refusal.message)
  await page.getByText(keyDialogs.revoked(KEY_NAME)).waitFor()
}

/** Sends requests until one is refused, and returns the refusal. */
export async function exhaust(sdk: OpenAi, most: number): Promise<OpenAiError> {
  for (let sent = 0; sent < most; sent += 1) {
    const refusal = await ask(sdk, { max_tokens: 1 }).then(
      () => undefined,
      (error: OpenAiError) => error,
    )
    if (refusal !== undefined) return refusal
  }
  throw new Error(`none of ${most} requests was refused`)
}

async function refusalOf(sdk: OpenAi): Promise<OpenAiError> {
  return ask(sdk).then(
    () => {
      throw new Error('the key still works')
    },
    (error: OpenAiError) => error,
  )
}

function ask(sdk: OpenAi, more: object = {}) {
  const messages = [{ role: 'user', content: QUESTION }]
  return sdk.chat.completions.create({ model: DEMO_MODEL, messages, ...more }).withResponse()
}
