import { Type, type Static } from 'typebox'

// The bodies and queries of SCIM 2.0 (RFC 7644). Providers send more than is kept here: it is
// ignored.

/** As long as an email address can be. */
export const USER_NAME_LENGTH_MAX = 254
export const TEXT_LENGTH_MAX = 255

const Text = Type.Optional(Type.Union([Type.String({ maxLength: TEXT_LENGTH_MAX }), Type.Null()]))

/** Microsoft Entra ID sends a text. */
const Active = Type.Optional(Type.Union([Type.Boolean(), Type.String({ maxLength: 5 })]))

export const ScimUserBody = Type.Object({
  userName: Type.String({ minLength: 1, maxLength: USER_NAME_LENGTH_MAX }),
  externalId: Text,
  displayName: Text,
  name: Type.Optional(
    Type.Union([Type.Object({ givenName: Text, familyName: Text }), Type.Null()]),
  ),
  active: Active,
  emails: Type.Optional(
    Type.Array(
      Type.Object({
        value: Type.Optional(Type.String({ maxLength: USER_NAME_LENGTH_MAX })),
        primary: Active,
      }),
      { maxItems: 20 },
    ),
  ),
})
export type ScimUserBody = Static<typeof ScimUserBody>

/** More than a provider sends at once. */
export const GROUP_MEMBERS_MAX = 5_000

const Members = Type.Array(Type.Object({ value: Type.String({ maxLength: 36 }) }), {
  maxItems: GROUP_MEMBERS_MAX,
})

export const ScimGroupBody = Type.Object({
  displayName: Type.String({ minLength: 1, maxLength: TEXT_LENGTH_MAX }),
  externalId: Text,
  members: Type.Optional(Members),
})
export type ScimGroupBody = Static<typeof ScimGroupBody>

const Operation = Type.Object({
  op: Type.String({ maxLength: 10 }),
  path: Type.Optional(Type.String({ maxLength: 300 })),
  value: Type.Optional(Type.Unknown()),
})
export type ScimOperation = Static<typeof Operation>

export const ScimPatch = Type.Object({ Operations: Type.Array(Operation, { maxItems: 1_000 }) })
export type ScimPatch = Static<typeof ScimPatch>

/** What a read chooses. Whatever else is in the query is ignored. */
export const ScimQuery = Type.Object({
  filter: Type.Optional(Type.String({ maxLength: 1_000 })),
  startIndex: Type.Optional(Type.Integer()),
  count: Type.Optional(Type.Integer()),
  attributes: Type.Optional(Type.String({ maxLength: 1_000 })),
  excludedAttributes: Type.Optional(Type.String({ maxLength: 1_000 })),
})
export type ScimQuery = Static<typeof ScimQuery>
