import { LeakedKey } from '../../../contract/management/leaked-key.ts'
import { revokeLeakedKey } from '../../leaked-keys/revoke-leaked-key.ts'
import { defineRoute, type Route } from '../route.ts'

export const LEAKED_KEY_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/revoked-keys',
    summary:
      'Revoke an API key, a management key or a SCIM token whose secret was found. The answer is ' +
      'the same for every secret.',
    does: revokeLeakedKey,
    body: LeakedKey,
    status: 202,
    anywhere: true,
    input: ({ body, client }) => ({ ...body, client }),
    example: {
      body: { secret: 'headrace_sk_9hPzJ1cQm4Xw0sVd7TfYb2KgRn5LaEu8ZiOqHt3Cy6W3kF0aB' },
    },
  }),
]
