import {
  CreatedKey,
  Key,
  KeyChange,
  KeyQuery,
  KeyRevocation,
  KeyRotation,
  NewKey,
} from '../../../contract/management/key.ts'
import { countedListOf } from '../../../contract/management/schemas.ts'
import { etagOf } from '../../use-case/etag.ts'
import { changeKey } from '../../keys/change-key.ts'
import { createKey } from '../../keys/create-key.ts'
import { listKeys } from '../../keys/list-keys.ts'
import { revokeKey } from '../../keys/revoke-key.ts'
import { rotateKey } from '../../keys/rotate-key.ts'
import { showKey } from '../../keys/show-key.ts'
import { versionedKey } from '../../keys/view-key.ts'
import { defineRoute, type Reply, type Route, type RouteRequest } from '../route.ts'

const KEYS = '/organizations/{organization}/keys'
const KEY = `${KEYS}/{key}`

export const KEY_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: KEYS,
    summary: 'List API keys, newest first. Members see their own.',
    does: listKeys,
    query: KeyQuery,
    status: 200,
    answer: countedListOf(Key),
    input: ({ path, query }) => ({ organization: path['organization']!, ...query }),
    example: { query: 'state=active&q=deploy' },
  }),
  defineRoute({
    method: 'POST',
    path: KEYS,
    summary: 'Create an API key. The key is shown only in this answer.',
    does: createKey,
    body: NewKey,
    status: 201,
    answer: CreatedKey,
    secret: true,
    input: ({ path, body }) => ({ organization: path['organization']!, ...body }),
    reply: showCreated,
    example: { body: { name: 'deployment' } },
  }),
  defineRoute({
    method: 'GET',
    path: KEY,
    summary: 'Show an API key, without its secret.',
    does: showKey,
    status: 200,
    answer: Key,
    input: named,
    reply: show,
  }),
  defineRoute({
    method: 'PATCH',
    path: KEY,
    summary:
      'Change the name, the expiry or the limits of an API key. A limit that an admin set on the ' +
      'key of a member can be tightened by the member, but not loosened.',
    does: changeKey,
    body: KeyChange,
    status: 200,
    answer: Key,
    input: (request) => ({ ...named(request), ...request.body, ifMatch: request.client.ifMatch }),
    reply: show,
    example: { body: { requests_per_minute: 60 } },
  }),
  defineRoute({
    method: 'POST',
    path: `${KEY}/rotate`,
    summary:
      'Replace an API key. Both work until the overlap ends. A personal key is rotated by its ' +
      'owner only.',
    does: rotateKey,
    body: KeyRotation,
    status: 201,
    answer: CreatedKey,
    secret: true,
    input: (request) => ({ ...named(request), ...request.body }),
    reply: showCreated,
    example: { body: { overlap_seconds: 3600 } },
  }),
  defineRoute({
    method: 'POST',
    path: `${KEY}/revoke`,
    summary: 'Revoke an API key permanently, at the next request.',
    does: revokeKey,
    body: KeyRevocation,
    status: 200,
    answer: Key,
    input: (request) => ({ ...named(request), ...request.body }),
    reply: show,
    example: { body: { reason: 'was in a public repository' } },
  }),
]

function named({ path }: RouteRequest<unknown, unknown>) {
  return { organization: path['organization']!, key: path['key']! }
}

function show(key: Key): Reply {
  return { body: key, headers: { etag: etagOf(versionedKey(key)) } }
}

function showCreated({ key: secret, ...key }: CreatedKey): Reply {
  return { ...show(key), body: { key: secret, ...key } }
}
