import { AllowedNetworks } from '../../../contract/management/organization.ts'
import { listOf } from '../../../contract/management/schemas.ts'
import {
  BackchannelLogout,
  Domain,
  FoundSso,
  NewDomain,
  NewSsoConnection,
  NextSsoConnection,
  SignInRules,
  SsoCallback,
  SsoConnection,
  SsoConnectionChanges,
  SsoLookup,
  StartedSso,
  StartSso,
} from '../../../contract/management/sso.ts'
import { readAllowedNetworks, setAllowedNetworks } from '../../organizations/allowed-networks.ts'
import { changeConnection } from '../../sign-in/sso/change-connection.ts'
import { createConnection } from '../../sign-in/sso/create-connection.ts'
import { deleteConnection } from '../../sign-in/sso/delete-connection.ts'
import { endAtProvider } from '../../sign-in/sso/end-at-provider.ts'
import { addDomain, deleteDomain, listDomains, verifyDomain } from '../../sign-in/sso/domains.ts'
import { finishSso } from '../../sign-in/sso/finish-sso.ts'
import { listConnections, showNextConnection } from '../../sign-in/sso/list-connections.ts'
import { lookUpSso } from '../../sign-in/sso/look-up-sso.ts'
import { readSignInRules, setSignInRules } from '../../sign-in/sso/sign-in-rules.ts'
import { startSso } from '../../sign-in/sso/start-sso.ts'
import { defineRoute, type Route } from '../route.ts'
import { ENDED_SSO_COOKIE, readSsoCookie, ssoCookie } from '../sso-cookie.ts'
import { cookiesOf } from './sessions.ts'

const ORGANIZATION = '/organizations/{organization}'

const SIGN_IN_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/sso/lookup',
    summary: 'Find the identity providers of the domain of an email address.',
    does: lookUpSso,
    body: SsoLookup,
    status: 200,
    answer: FoundSso,
    input: ({ body }) => body,
    example: { body: { email: 'jane@example.com' } },
  }),
  defineRoute({
    method: 'POST',
    path: '/sso/{connection}/start',
    summary: 'Begin to sign in, or to confirm, at the identity provider of a connection.',
    does: startSso,
    body: StartSso,
    status: 200,
    answer: StartedSso,
    // A repeated request needs the cookie of its own flow.
    secret: true,
    input: ({ path, body }) => ({ connection: path['connection']!, ...body }),
    reply: ({ location, cookie }) => ({ body: { location }, cookies: [ssoCookie(cookie)] }),
    example: { body: { to: '/' } },
  }),
  defineRoute({
    method: 'GET',
    path: '/sso/callback/{connection}',
    summary: 'Return from the identity provider of a connection.',
    does: finishSso,
    query: SsoCallback,
    status: 303,
    input: ({ path, query, client }) => ({
      connection: path['connection']!,
      query: query as Record<string, string>,
      cookie: readSsoCookie(client.cookies),
      client,
    }),
    reply: ({ location, opened }) => ({
      headers: { location },
      cookies: [ENDED_SSO_COOKIE, ...(opened === null ? [] : cookiesOf(opened))],
    }),
  }),
  defineRoute({
    method: 'POST',
    path: '/sso/{connection}/backchannel-logout',
    summary:
      'End the sessions of somebody who has signed out at the identity provider. The body is the ' +
      'form of OpenID Connect Back-Channel Logout.',
    does: endAtProvider,
    body: BackchannelLogout,
    form: true,
    status: 200,
    anywhere: true,
    input: ({ path, body }) => ({ connection: path['connection']!, token: body.logout_token }),
    example: { body: { logout_token: 'eyJhbGciOiJSUzI1NiJ9.e30.c2lnbmF0dXJl' } },
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
    method: 'GET',
    path: `${ORGANIZATION}/sso-connections/next`,
    summary: 'Show what to register at an identity provider before it is connected.',
    does: showNextConnection,
    status: 200,
    answer: NextSsoConnection,
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
    summary:
      'Change an identity provider. Changing the issuer unlinks everyone who signed in through it.',
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
  defineRoute({
    method: 'GET',
    path: `${ORGANIZATION}/allowed-networks`,
    summary: 'Show where members and keys may call from.',
    does: readAllowedNetworks,
    status: 200,
    answer: AllowedNetworks,
    input: ({ path }) => ({ organization: path['organization']! }),
  }),
  defineRoute({
    method: 'PUT',
    path: `${ORGANIZATION}/allowed-networks`,
    summary: 'Set where members and keys may call from. It takes effect at their next call.',
    does: setAllowedNetworks,
    body: AllowedNetworks,
    status: 200,
    answer: AllowedNetworks,
    input: ({ path, body }) => ({ organization: path['organization']!, ...body }),
    example: { body: { networks: ['192.0.2.0/24', '127.0.0.0/8'] } },
  }),
]

export const SSO_ROUTES: readonly Route[] = [
  ...SIGN_IN_ROUTES,
  ...CONNECTION_ROUTES,
  ...DOMAIN_ROUTES,
  ...RULE_ROUTES,
]
