import { setTimeout as pause } from 'node:timers/promises'
import { openConsoleClient, type ConsoleAnswer } from '../../harness/clients/console-clients.ts'
import { newAddress, type Headers } from '../../harness/processes/console.ts'
import { browserOf, deviceOf, PASSWORD, STRANGER } from '../../harness/clients/sign-in.ts'

/** Between two sign-ins of one lane. */
const PAUSE_MS = 100

export type Person = { readonly email: string; readonly as: Headers }

/** Each with a connection and a network of their own, as people have. */
export async function signInAs(root: string, { email, as }: Person): Promise<ConsoleAnswer> {
  await using client = openConsoleClient(root)
  const headers = { 'x-forwarded-for': newAddress() }
  const body = { email, password: PASSWORD }
  const answer = await client.send('POST', '/sessions', { as, body, headers })
  if (answer.status !== 201) return answer
  // A sign-in counts only if its session can be used.
  const own = browserOf({ cookies: cookiesOf(answer) })
  const me = await client.send('GET', '/me', { as: own, headers })
  return { ...me, status: me.status === 200 ? 201 : me.status, ms: answer.ms + me.ms }
}

export function cookiesOf({ headers }: ConsoleAnswer): string[] {
  return [headers['set-cookie'] ?? []].flat()
}

/** Signs somebody in once, so that their device is known. */
export async function makeKnown(root: string, email: string): Promise<Person> {
  await using client = openConsoleClient(root)
  const headers = { 'x-forwarded-for': newAddress() }
  const answer = await client.send('POST', '/sessions', {
    body: { email, password: PASSWORD },
    headers,
  })
  if (answer.status !== 201) throw new Error(`a first sign-in was ${answer.status} ${answer.text}`)
  return { email, as: deviceOf({ cookies: cookiesOf(answer) }) }
}

export function stranger(email: string): Person {
  return { email, as: STRANGER }
}

/** People sign in one after the other, until the time is over or nobody is left. */
export async function signInAll(
  root: string,
  people: readonly Person[],
  untilMs: number,
): Promise<ConsoleAnswer[]> {
  const answers: ConsoleAnswer[] = []
  for (const person of people) {
    if (performance.now() > untilMs) break
    answers.push(await signInAs(root, person))
    // pacing: people sign in now and then.
    await pause(PAUSE_MS)
  }
  return answers
}
