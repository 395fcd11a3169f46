import { Type, type Static } from 'typebox'
import { Id, KeyCount, name, nullable, PAGE_QUERY, sortQuery, Time } from './schemas.ts'
import { ChosenLanguage } from './account.ts'
import { LinkToken, NewPassword } from './session.ts'

const RoleName = Type.Enum(['owner', 'admin', 'member', 'viewer'])

export const Member = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Id of the account.' }),
    email: Type.String(),
    name: nullable(Type.String()),
    role: RoleName,
    joined_at: Time,
    last_seen_at: Type.Union([Time, Type.Null()], {
      description: 'When a session was last used, to the minute. Always null for members.',
    }),
    second_factor: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'Whether the person has one. Always null for members.',
    }),
    keys: Type.Union([KeyCount, Type.Null()], {
      description:
        'API keys of the person that were not revoked. Null for members and after a change.',
    }),
  },
  { $id: 'Member' },
)
export type Member = Static<typeof Member>

export const MembersQuery = Type.Object(
  { ...PAGE_QUERY, ...sortQuery(['name', 'role'], 'members') },
  { additionalProperties: false },
)
export type MembersQuery = Static<typeof MembersQuery>

export const MemberChange = Type.Object(
  { role: RoleName },
  { $id: 'MemberChange', additionalProperties: false },
)
export type MemberChange = Static<typeof MemberChange>

/** What becomes of the API keys of somebody who is removed. */
export const KEYS_OF_REMOVED = Type.Enum(['stop', 'move'], {
  description:
    'Keys of this person stop working at the next request (`stop`, the default), or belong to ' +
    'the organization from now on (`move`).',
})

export const Invitation = Type.Object(
  {
    id: Id,
    email: Type.String(),
    role: RoleName,
    invited_by: Type.Union([Id, Type.Null()], {
      description: 'Null: a management key or the operator.',
    }),
    created_at: Time,
    ends_at: Time,
  },
  { $id: 'Invitation' },
)
export type Invitation = Static<typeof Invitation>

export const SentInvitation = Type.Object(
  {
    ...Invitation.properties,
    link: Type.Union([Type.String(), Type.Null()], {
      description: 'Null if it was sent by email. Otherwise it is shown only in this answer.',
    }),
  },
  { $id: 'SentInvitation' },
)
export type SentInvitation = Static<typeof SentInvitation>

export const NewInvitation = Type.Object(
  {
    email: Type.String({ format: 'email', maxLength: 254 }),
    role: Type.Optional(RoleName),
  },
  { $id: 'NewInvitation', additionalProperties: false },
)
export type NewInvitation = Static<typeof NewInvitation>

export const InvitationToken = Type.Object(
  { token: Type.String({ maxLength: 100, description: 'From the fragment of the link.' }) },
  { $id: 'InvitationToken', additionalProperties: false },
)
export type InvitationToken = Static<typeof InvitationToken>

export const Joining = Type.Object(
  {
    token: LinkToken,
    name: name(100, 'Your name, as others see it.'),
    password: NewPassword,
    terms_version: Type.Optional(
      Type.String({ maxLength: 100, description: 'The version of the terms that you accept.' }),
    ),
    language: Type.Optional(ChosenLanguage),
  },
  { $id: 'Joining', additionalProperties: false },
)
export type Joining = Static<typeof Joining>

const JOINED_ORGANIZATION = Type.Object({ id: Id, slug: Type.String(), name: Type.String() })

export const OpenInvitation = Type.Object(
  {
    organization: JOINED_ORGANIZATION,
    email: Type.String(),
    role: RoleName,
    invited_by: Type.Union([Type.String(), Type.Null()], {
      description: 'Name or email address; null: the operator.',
    }),
    ends_at: Time,
    next: Type.Enum(['join', 'sign_in', 'sso', 'confirm'], {
      description:
        'How somebody goes on who is not signed in. `join`: they choose a password, because the ' +
        'link was sent to their address. `sign_in`: the address has an account. `sso`: they sign ' +
        'in with an identity provider. `confirm`: somebody passed the link on: they sign in or up.',
    }),
    terms: nullable(
      Type.Object(
        { version: Type.String(), url: Type.String() },
        { description: 'What people accept who join; null if there are none.' },
      ),
    ),
  },
  { $id: 'OpenInvitation' },
)
export type OpenInvitation = Static<typeof OpenInvitation>

export const Membership = Type.Object(
  { organization: JOINED_ORGANIZATION, role: RoleName },
  { $id: 'Membership' },
)
export type Membership = Static<typeof Membership>
