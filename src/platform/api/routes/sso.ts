import { listOf } from '../../../contract/management/schemas.ts'
import {
  Domain,
  FoundSso,
  NewDomain,
  NewSsoConnection,
  SignInRules,
  SsoCallback,
  SsoConnection,
  SsoConnectionChanges,
  SsoLookup,
  StartSso,
} from '../../../contract/management/sso.ts'
import { changeConnection } from '../../sso/change-connection.ts'
import { createConnection } from '../../sso/create-connection.ts'
import { deleteConnection } from '../../sso/delete-connection.ts'
import { addDomain, deleteDomain, listDomains, verifyDomain } from '../../sso/domains.ts'
import { finishSso } from '../../sso/finish-sso.ts'
import { listConnections } from '../../sso/list-connections.ts'
import { lookUpSso } from '../../sso/look-up-sso.ts'
import { readSignInRules, setSignInRules } from '../../sso/sign-in-rules.ts'
import { startSso } from '../../sso/start-sso.ts'
import { defineRoute, type Route } from '../route.ts'
import { sessionCookie } from '../session-cookie.ts'
import { ENDED_SSO_COOKIE, readSsoCookie, ssoCookie } from '../sso-cookie.ts'

const ORGANIZATION = '/organizations/{organization}'

const SIGN_IN_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/sso/lookup',
    summary: 'Find the identity providers of the domain of an e-mail address.',
    does: lookUpSso,
    body: SsoLookup,
    status: 200,
    answer: FoundSso,
    input: ({ body }) => body,
    example: { body: { email: 'jane@example.com' } },
  }),
  defineRoute({
    method: 'GET',
    path: '/sso/{connection}/start',
    summary: 'Go to the identity provider, to sign in or to confirm.',
    does: startSso,
    query: StartSso,
    status: 303,
    input: ({ path, query }) => ({ connection: path['connection']!, ...query }),
    reply: ({ location, cookie }) => ({
      headers: { location },
      ...(cookie !== null && { cookies: [ssoCookie(cookie)] }),
    }),
  }),
  defineRoute({
    method: 'GET',
    path: '/sso/callback',
    summary: 'Return from the identity provider.',
    does: finishSso,
    query: SsoCallback,
    status: 303,
    input: ({ query, client }) => ({
      query: query as Record<string, string>,
      cookie: readSsoCookie(client.cookies),
      client,
    }),
    reply: ({ location, opened }) => ({
      headers: { location },
      cookies: [ENDED_SSO_COOKIE, ...(opened === null ? [] : [sessionCookie(opened.token)])],
    }),
  }),
]

const CONNECTION_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: `${ORGANIZATION}/sso-connections`,
    summary: 'List the identity providers of the organization, newest first.',
    does: listConnections,
    status: 200,
    answer: listOf(SsoConnection),
    input: ({ path }) => ({ organization: path['organization']! }),
  }),
  defineRoute({
    method: 'POST',
    path: `${ORGANIZATION}/sso-connections`,
    summary: 'Connect an identity provider (OpenID Connect).',
    does: createConnection,
    body: NewSsoConnection,
    status: 201,
    answer: SsoConnection,
    input: ({ path, body }) => ({ organization: path['organization']!, ...body }),
    example: {
      body: {
        name: 'Example',
        issuer: 'https://idp.example.com',
        client_id: 'headrace',
        client_secret: 'secret',
      },
    },
  }),
  defineRoute({
    method: 'PATCH',
    path: `${ORGANIZATION}/sso-connections/{connection}`,
    summary: 'Change an identity provider. Another issuer forgets who signed in.',
    does: changeConnection,
    body: SsoConnectionChanges,
    status: 200,
    answer: SsoConnection,
    input: ({ path, body }) => ({
      organization: path['organization']!,
      id: path['connection']!,
      ...body,
    }),
    example: { body: { name: 'Example' } },
  }),
  defineRoute({
    method: 'DELETE',
    path: `${ORGANIZATION}/sso-connections/{connection}`,
    summary: 'Remove an identity provider. Accounts stay.',
    does: deleteConnection,
    status: 204,
    input: ({ path }) => ({ organization: path['organization']!, id: path['connection']! }),
  }),
]

const DOMAIN_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: `${ORGANIZATION}/domains`,
    summary: 'List the domains of the organization, newest first.',
    does: listDomains,
    status: 200,
    answer: listOf(Domain),
    input: ({ path }) => ({ organization: path['organization']! }),
  }),
  defineRoute({
    method: 'POST',
    path: `${ORGANIZATION}/domains`,
    summary: 'Add a domain. The answer says which DNS record verifies it.',
    does: addDomain,
    body: NewDomain,
    status: 201,
    answer: Domain,
    input: ({ path, body }) => ({ organization: path['organization']!, ...body }),
    example: { body: { domain: 'example.com' } },
  }),
  defineRoute({
    method: 'POST',
    path: `${ORGANIZATION}/domains/{domain}/verify`,
    summary: 'Look the DNS record up, and verify the domain.',
    does: verifyDomain,
    status: 200,
    answer: Domain,
    input: ({ path }) => ({ organization: path['organization']!, id: path['domain']! }),
  }),
  defineRoute({
    method: 'DELETE',
    path: `${ORGANIZATION}/domains/{domain}`,
    summary: 'Remove a domain.',
    does: deleteDomain,
    status: 204,
    input: ({ path }) => ({ organization: path['organization']!, id: path['domain']! }),
  }),
]

const RULE_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: `${ORGANIZATION}/sign-in`,
    summary: 'Show how members must sign in.',
    does: readSignInRules,
    status: 200,
    answer: SignInRules,
    input: ({ path }) => ({ organization: path['organization']! }),
  }),
  defineRoute({
    method: 'PUT',
    path: `${ORGANIZATION}/sign-in`,
    summary: 'Set how members must sign in. It takes effect at their next call.',
    does: setSignInRules,
    body: SignInRules,
    status: 200,
    answer: SignInRules,
    input: ({ path, body }) => ({ organization: path['organization']!, ...body }),
    example: { body: { sso_only: false, second_factor_required: true } },
  }),
]

export const SSO_ROUTES: readonly Route[] = [
  ...SIGN_IN_ROUTES,
  ...CONNECTION_ROUTES,
  ...DOMAIN_ROUTES,
  ...RULE_ROUTES,
]
