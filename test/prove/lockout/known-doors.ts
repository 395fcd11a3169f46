import type { Command } from 'commander'
import { createProgram } from '../../../src/cli/program.ts'
import { ROUTES } from '../../../src/platform/api/routes.ts'
import { SCIM_ROUTES } from '../../../src/platform/api/scim/scim-routes.ts'
import { nameOf } from '../../harness/routes/example-request.ts'
import type { Operation } from './operation.ts'

/** Nouns of use cases that have nothing to do with how people get in. */
const OTHER_NOUNS = [
  'audit_stream',
  'balance',
  'billing_contacts',
  'content',
  'engine',
  'invoice',
  'key',
  'management_key',
  'payment',
  'platform_key',
  'playground',
  'project',
  'refund',
  'request_link',
  'retention',
  'spending_alert',
  'support_access',
  'top_up',
  'voucher',
]

/** Changes near the doors that take no way in from anybody, with the reason. */
const HARMLESS: Readonly<Record<string, string>> = {
  'POST /sessions': 'a way in',
  'POST /sessions/link': 'a way in',
  'POST /sessions/passkey': 'a way in',
  'POST /sessions/second-factor': 'a way in',
  'GET /sso/callback/{connection}': 'a way in',
  'POST /sso/{connection}/backchannel-logout': 'ends sessions, not ways in',
  'POST /sessions/current/confirm': 'proves again who it is',
  'DELETE /sessions': 'ends sessions, not ways in',
  'DELETE /sessions/{session}': 'ends a session, not a way in',
  'DELETE /sessions/current': 'ends a session, not a way in',
  'DELETE /operator/accounts/{account}/sessions': 'ends sessions, not ways in',
  'POST /sign-ups': 'adds an account',
  'POST /sign-ups/complete': 'adds an account',
  'PATCH /me': 'a name',
  'POST /me/registration': 'adds to an account',
  'DELETE /organizations/{organization}/scim-tokens/{token}': 'people stay what they are',
  'POST /organizations': 'adds an organization',
  'PATCH /organizations/{organization}': 'a name',
  'POST /organizations/{organization}/invitations': 'adds a person',
  'POST /organizations/{organization}/invitations/{invitation}/resend': 'adds a person',
  'DELETE /organizations/{organization}/invitations/{invitation}': 'of somebody who is not in',
  'POST /invitations/accept': 'adds a person',
  'POST /invitations/join': 'adds a person',
  'POST /operator/accounts/admit': 'lets people in',
  'POST /operator/accounts/{account}/reset-link': 'a link, whose use is an operation',
  'POST /operator/organizations': 'adds an organization',
  'POST /operator/organizations/{organization}/owner-invitations': 'adds a person',
  'PUT /operator/organizations/{organization}/credit-limit': 'how much it may owe',
  'PATCH /operator/organizations/{organization}': 'plan, billing, limits and suspension',
  'account create': 'adds an account',
  'account admit': 'lets people in',
  'account reset-link': 'a link, whose use is an operation',
  'account list': 'reads',
  'account show': 'reads',
  'member list': 'reads',
  'organization create': 'adds an organization',
  'organization list': 'reads',
  'organization show': 'reads',
  'organization change': 'plan, billing, limits and suspension',
  'organization reset-limits': 'limits',
}

/** Groups of commands that have nothing to do with how people get in. */
const OTHER_COMMANDS = [
  'api',
  'balance',
  'capacity',
  'config',
  'console',
  'content',
  'debug',
  'dev',
  'doctor',
  'engine',
  'explain',
  'key',
  'migrate',
  'invoice',
  'payment',
  'plan',
  'project',
  'recover',
  'reload',
  'top',
  'usage',
  'voucher',
  'worker',
]

/** Routes and commands that no operation covers and nobody has called harmless, and the reverse. */
export function findUnknownDoors(operations: readonly Operation[]): string[] {
  const doors = [...changingRoutes(), ...commandsOf(createProgram())]
  const known = new Set([...operations.flatMap(({ covers }) => covers), ...Object.keys(HARMLESS)])
  return [
    ...doors.filter((door) => !known.has(door)).map((door) => `no operation tries ${door}`),
    ...[...known].filter((door) => !doors.includes(door)).map((door) => `there is no ${door}`),
  ]
}

function changingRoutes(): string[] {
  return [...ROUTES, ...SCIM_ROUTES]
    .filter(
      ({ does }) =>
        does.kind === 'change' && !OTHER_NOUNS.includes(does.action.split('.')[0] ?? ''),
    )
    .map(nameOf)
}

function commandsOf(program: Command): string[] {
  return program.commands
    .filter((group) => !OTHER_COMMANDS.includes(group.name()))
    .flatMap((group) =>
      group.commands.length === 0
        ? [group.name()]
        : group.commands.map((command) => `${group.name()} ${command.name()}`),
    )
}
