import { Type, type Static } from 'typebox'
import { Id, name, nullable, Time } from './schemas.ts'
import { Email, LinkToken, NewPassword } from './session.ts'

export const SignUp = Type.Object(
  { email: Email, password: NewPassword },
  { $id: 'SignUp', additionalProperties: false },
)

export const LinkUse = Type.Object(
  { token: LinkToken },
  { $id: 'LinkUse', additionalProperties: false },
)

export const EmailOnly = Type.Object(
  { email: Email },
  { $id: 'EmailOnly', additionalProperties: false },
)

export const PasswordReset = Type.Object(
  { token: LinkToken, password: NewPassword },
  { $id: 'PasswordReset', additionalProperties: false },
)

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
    created_at: Time,
  },
  { $id: 'Me' },
)
export type Me = Static<typeof Me>

export const MeChange = Type.Object(
  { name: name(100, 'Your name, as others see it.') },
  { $id: 'MeChange', additionalProperties: false },
)

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
  },
  { $id: 'Registration', additionalProperties: false },
)
export type Registration = Static<typeof Registration>
