import recorded from './recorded-fields.json' with { type: 'json' }

/** The names of the fields of each object, as stripe-mock answered when they were recorded. */
const FIELDS: Readonly<Record<string, readonly string[]>> = recorded

/** A request that Stripe's OpenAPI does not allow. */
export class RefusedByMock extends Error {
  override readonly name = 'RefusedByMock'
  readonly status: number
  readonly answer: unknown

  constructor(status: number, answer: unknown) {
    super(`stripe-mock refused it: ${JSON.stringify(answer)}`)
    this.status = status
    this.answer = answer
  }
}

export type MockRequest = {
  readonly method: string
  readonly url: string
  readonly body: string
  readonly version: string | undefined
}

/** Asks stripe-mock, which knows Stripe's parameters and fields, but no state. */
export async function askMock(mock: string, request: MockRequest): Promise<unknown> {
  const { method, url, body, version } = request
  const response = await fetch(`${mock}${url}`, {
    method,
    headers: {
      authorization: 'Bearer sk_test_scripted',
      ...(version !== undefined && { 'stripe-version': version }),
      ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(method === 'POST' && { body }),
  })
  const answer: unknown = await response.json()
  if (!response.ok) throw new RefusedByMock(response.status, answer)
  return answer
}

/** An object with all its fields and no values: what a script sets is all that is in it. */
export function emptyObject(object: string): Record<string, unknown> {
  const names = FIELDS[object]
  if (names === undefined) throw new Error(`the fields of ${object} are not recorded`)
  return { ...Object.fromEntries(names.map((name) => [name, null])), object }
}
