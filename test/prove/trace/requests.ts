import type { Caller } from '../../harness/seed/tenants.ts'

/** The client's own trace, which it says is sampled. */
export const CLIENT = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
}

export type Sent = { readonly id: string; readonly status: number }

/** Sends a chat completion with a traceparent and reads its answer to the end. */
export async function send(
  apiRoot: string,
  { key }: Pick<Caller, 'key'>,
  body: { readonly model: string; readonly text: string; readonly stream?: boolean },
): Promise<Sent> {
  const { model, text: content, stream = false } = body
  const response = await fetch(`${apiRoot}/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      traceparent: `00-${CLIENT.traceId}-${CLIENT.spanId}-01`,
    },
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content }] }),
  })
  await response.text()
  return { id: response.headers.get('x-request-id') ?? '', status: response.status }
}
