import { Type, type Static } from 'typebox'
import { Id, name, nullable, Time } from './schemas.ts'

const DefaultRole = Type.Enum(['admin', 'member', 'viewer'], {
  description: 'Role of people who sign in for the first time.',
})
const Issuer = Type.String({
  minLength: 1,
  maxLength: 1024,
  description: 'Issuer of the OpenID Connect provider, an https URL.',
})
const ClientId = Type.String({ minLength: 1, maxLength: 255, description: 'Client id.' })
const ClientSecret = Type.String({
  minLength: 1,
  maxLength: 1024,
  description: 'Client secret. It is stored encrypted and never shown.',
})

const RedirectUri = Type.String({
  description: 'To be registered at the provider, exactly as it is. Each connection has its own.',
})
const LogoutUri = Type.String({
  description: 'To be registered at the provider, which then ends sessions by itself.',
})

export const SsoConnection = Type.Object(
  {
    id: Id,
    name: Type.String(),
    issuer: Issuer,
    client_id: ClientId,
    default_role: DefaultRole,
    redirect_uri: RedirectUri,
    backchannel_logout_uri: LogoutUri,
    created_at: Time,
  },
  { $id: 'SsoConnection' },
)
export type SsoConnection = Static<typeof SsoConnection>

export const NextSsoConnection = Type.Object(
  { id: Id, redirect_uri: RedirectUri, backchannel_logout_uri: LogoutUri },
  { $id: 'NextSsoConnection' },
)
export type NextSsoConnection = Static<typeof NextSsoConnection>

export const NewSsoConnection = Type.Object(
  {
    id: Type.Optional({
      ...Id,
      description:
        'The id of the next connection, whose redirect URI you have registered. Refused if ' +
        'another connection was made or removed since.',
    }),
    name: name(100, 'Shown on the page of the sign-in.'),
    issuer: Issuer,
    client_id: ClientId,
    client_secret: ClientSecret,
    default_role: Type.Optional(DefaultRole),
  },
  { $id: 'NewSsoConnection', additionalProperties: false },
)
export type NewSsoConnection = Static<typeof NewSsoConnection>

export const SsoConnectionChanges = Type.Object(
  {
    name: Type.Optional(name(100, 'Shown on the page of the sign-in.')),
    issuer: Type.Optional(Issuer),
    client_id: Type.Optional(ClientId),
    client_secret: Type.Optional(ClientSecret),
    default_role: Type.Optional(DefaultRole),
  },
  { $id: 'SsoConnectionChanges', additionalProperties: false },
)
export type SsoConnectionChanges = Static<typeof SsoConnectionChanges>

export const Domain = Type.Object(
  {
    id: Id,
    domain: Type.String(),
    verified_at: nullable(Time),
    misses: Type.Integer({
      description:
        'How many daily look-ups in a row did not find the record. After the fourth the domain ' +
        'is not verified any more.',
    }),
    record: Type.Object(
      { name: Type.String(), type: Type.String(), value: Type.String() },
      { description: 'The DNS record that proves that the domain is yours.' },
    ),
    created_at: Time,
  },
  { $id: 'Domain' },
)
export type Domain = Static<typeof Domain>

export const NewDomain = Type.Object(
  { domain: Type.String({ minLength: 1, maxLength: 253, description: 'Email domain.' }) },
  { $id: 'NewDomain', additionalProperties: false },
)

/** As long as any session of the service can last. */
const SESSION_HOURS_MAX = 720

export const SignInRules = Type.Object(
  {
    sso_only: Type.Boolean({
      description: 'Members must sign in with an identity provider of this organization.',
    }),
    second_factor_required: Type.Boolean({
      description: 'Members must sign in with a second factor, a passkey or the provider.',
    }),
    session_hours: Type.Optional({
      ...nullable(Type.Integer({ minimum: 1, maximum: SESSION_HOURS_MAX })),
      description:
        'How long sessions of members last at most, wherever else they are members. `null`: as ' +
        'long as the service allows.',
    }),
  },
  { $id: 'SignInRules', additionalProperties: false },
)
export type SignInRules = Static<typeof SignInRules>

export const SsoLookup = Type.Object(
  { email: Type.String({ maxLength: 254, description: 'Email address.' }) },
  { $id: 'SsoLookup', additionalProperties: false },
)

export const FoundSso = Type.Object(
  {
    connections: Type.Array(Type.Object({ id: Id, name: Type.String() })),
    sso_only: Type.Boolean({ description: 'Whether nothing else is to be offered.' }),
  },
  { $id: 'FoundSso' },
)
export type FoundSso = Static<typeof FoundSso>

const To = Type.Optional(
  Type.String({ maxLength: 2000, description: 'Path of the console to return to.' }),
)

export const StartSso = Type.Object(
  {
    to: To,
    confirm: Type.Optional(
      Type.Boolean({ description: 'Confirm the current session instead of signing in.' }),
    ),
  },
  { $id: 'StartSso', additionalProperties: false },
)

export const StartedSso = Type.Object(
  { location: Type.String({ description: 'Address of the identity provider to go to.' }) },
  { $id: 'StartedSso' },
)
export type StartedSso = Static<typeof StartedSso>

/** Of the provider, as a form. Whatever else it adds is ignored. */
export const BackchannelLogout = Type.Object(
  {
    logout_token: Type.String({
      minLength: 1,
      maxLength: 4_000,
      description: 'Signed by the provider. It works once, within ten minutes.',
    }),
  },
  { $id: 'BackchannelLogout' },
)

/** What providers send. Whatever else they add is ignored. */
export const SsoCallback = Type.Object({
  state: Type.Optional(Type.String({ maxLength: 1024 })),
  code: Type.Optional(Type.String({ maxLength: 8192 })),
  iss: Type.Optional(Type.String({ maxLength: 1024 })),
  error: Type.Optional(Type.String({ maxLength: 1024 })),
})
