import { Type, type Static } from 'typebox'
import { LANGUAGES } from '../language.ts'
import { Passkey } from './factor.ts'
import { Id, name, nullable, Time } from './schemas.ts'
import { Email, LinkToken, NewPassword } from './session.ts'

/** What a person reads: pages and emails. */
export const ChosenLanguage = Type.Enum(LANGUAGES, {
  description: 'The language of the console and of emails.',
})

export const SignUp = Type.Object(
  {
    email: Email,
    password: Type.Optional({
      ...NewPassword,
      description:
        'Only if the service sends no email. Otherwise it is chosen with the link that is sent.',
    }),
    invitation: Type.Optional({
      ...LinkToken,
      description:
        'The token of an invitation to this address. Without it, a service that sends no email ' +
        'creates no account for an invited address.',
    }),
    language: Type.Optional(ChosenLanguage),
  },
  { $id: 'SignUp', additionalProperties: false },
)

/** Uses a link that sets a password: of a sign-up, or of a reset. */
export const PasswordByLink = Type.Object(
  { token: LinkToken, password: NewPassword },
  { $id: 'PasswordByLink', additionalProperties: false },
)

export const SignUpLink = Type.Object({ email: Type.String() }, { $id: 'SignUpLink' })

export const EmailChange = Type.Object(
  {
    email: Type.String({ description: 'The new address.' }),
    account: Type.String({ description: 'The present address of the account that changes.' }),
  },
  { $id: 'EmailChange' },
)
export type EmailChange = Static<typeof EmailChange>

export const LinkUse = Type.Object(
  { token: LinkToken },
  { $id: 'LinkUse', additionalProperties: false },
)

export const EmailOnly = Type.Object(
  { email: Email },
  { $id: 'EmailOnly', additionalProperties: false },
)

/** What else than the new password can still sign in. */
export const PasswordSet = Type.Object(
  {
    passkeys: Type.Array(Passkey),
    has_totp: Type.Boolean({ description: 'Whether an authenticator app is still asked for.' }),
    removed: Type.Boolean({
      description:
        'Whether passkeys or an app were removed, because they were added before the address ' +
        'was confirmed for the first time.',
    }),
  },
  { $id: 'PasswordSet' },
)
export type PasswordSet = Static<typeof PasswordSet>

export const PasswordChange = Type.Object(
  { password: NewPassword },
  { $id: 'PasswordChange', additionalProperties: false },
)

export const Me = Type.Object(
  {
    id: Id,
    email: Type.String(),
    email_verified: Type.Boolean(),
    name: nullable(Type.String()),
    state: Type.Enum(['waiting', 'active', 'restricted']),
    registered: Type.Boolean({ description: 'Whether the registration is complete.' }),
    platform_role: nullable(Type.Enum(['support', 'operator'])),
    has_password: Type.Boolean(),
    has_totp: Type.Boolean(),
    has_passkey: Type.Boolean(),
    second_factor_required: Type.Boolean({
      description: 'By the service or by an organization of yours.',
    }),
    terms: Type.Object({
      accepted_version: nullable(Type.String()),
      version: nullable(Type.String({ description: 'Current version; null if there are none.' })),
      url: nullable(Type.String()),
    }),
    may_create_organizations: Type.Boolean(),
    waiting_note: Type.Union([Type.String(), Type.Null()], {
      description: 'What you wrote to the operators while you waited for access.',
    }),
    language: nullable(Type.Enum(LANGUAGES, { description: 'Null if you have chosen none.' })),
    created_at: Time,
  },
  { $id: 'Me' },
)
export type Me = Static<typeof Me>

export const MeChange = Type.Object(
  {
    name: Type.Optional(name(100, 'Your name, as others see it.')),
    language: Type.Optional(ChosenLanguage),
    waiting_note: Type.Optional(
      Type.Union([name(500, 'What operators read beside the waiting list.'), Type.Null()], {
        description: 'Only while you wait for access.',
      }),
    ),
  },
  { $id: 'MeChange', additionalProperties: false },
)
export type MeChange = Static<typeof MeChange>

export const NewOwnOrganization = Type.Object(
  {
    slug: Type.String({
      minLength: 1,
      maxLength: 63,
      description: 'Lower-case letters, digits and hyphens. It cannot be changed.',
    }),
    name: name(200, 'Shown to members.'),
  },
  { $id: 'NewOwnOrganization', additionalProperties: false },
)
export type NewOwnOrganization = Static<typeof NewOwnOrganization>

export const OwnOrganization = Type.Object(
  {
    id: Id,
    slug: Type.String(),
    name: Type.String(),
    plan: Type.String(),
    role: Type.Enum(['owner', 'admin', 'member', 'viewer']),
    refused: Type.Union(
      [
        Type.Enum(['suspended', 'no_balance', 'no_credit', 'exhausted', 'conflict', 'overdue']),
        Type.Null(),
      ],
      {
        description:
          'Why all its chat completions are refused: the operator suspended it (403), nothing ' +
          'is left of the balance or of the credit limit (402), the operator declared it ' +
          'exhausted (402), its billing is being changed (409), or an invoice is overdue for ' +
          'too long (402). Null: they are not.',
      },
    ),
    suspended_reason: Type.Union([Type.String(), Type.Null()], {
      description: 'What the operator wrote when suspending it; null: it is not suspended.',
    }),
  },
  { $id: 'OwnOrganization' },
)
export type OwnOrganization = Static<typeof OwnOrganization>

export const Registration = Type.Object(
  {
    name: name(100, 'Your name, as others see it.'),
    terms_version: Type.Optional(
      Type.String({ maxLength: 100, description: 'The version of the terms that you accept.' }),
    ),
    organization: Type.Optional(NewOwnOrganization),
    language: Type.Optional(ChosenLanguage),
  },
  { $id: 'Registration', additionalProperties: false },
)
export type Registration = Static<typeof Registration>
