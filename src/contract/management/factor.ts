import { Type, type Static } from 'typebox'
import { name, nullable, Time } from './schemas.ts'

export const Code = Type.String({
  minLength: 6,
  maxLength: 6,
  description: 'The six digits of the authenticator app.',
})

const RecoveryCode = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'A recovery code; each works once.',
})

/** A credential as `PublicKeyCredential.toJSON()` returns it. */
export const Credential = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 2048 }),
    response: Type.Object({}, { description: 'The answer of the authenticator.' }),
  },
  { $id: 'Credential', description: 'What `PublicKeyCredential.toJSON()` returned.' },
)

export const BegunTotp = Type.Object(
  {
    secret: Type.String({ description: 'For people who type it. It is shown only once.' }),
    uri: Type.String({ description: 'For a QR code: `otpauth://totp/…`.' }),
  },
  { $id: 'BegunTotp' },
)
export type BegunTotp = Static<typeof BegunTotp>

export const ConfirmTotp = Type.Object(
  { code: Code },
  { $id: 'ConfirmTotp', additionalProperties: false },
)

export const RecoveryCodes = Type.Object(
  {
    recovery_codes: Type.Array(Type.String(), {
      description: 'Each replaces a code of the app once. They are shown only once.',
    }),
  },
  { $id: 'RecoveryCodes' },
)
export type RecoveryCodes = Static<typeof RecoveryCodes>

export const GivenFactor = Type.Object(
  { code: Type.Optional(Code), recovery_code: Type.Optional(RecoveryCode) },
  { $id: 'GivenFactor', additionalProperties: false },
)
export type GivenFactor = Static<typeof GivenFactor>

export const Passkey = Type.Object(
  {
    id: Type.String({ description: 'Id of the credential, in base64url.' }),
    name: Type.String(),
    backed_up: Type.Boolean({ description: 'Whether it is synchronized between devices.' }),
    created_at: Time,
    last_used_at: nullable(Time),
  },
  { $id: 'Passkey' },
)
export type Passkey = Static<typeof Passkey>

export const NewPasskey = Type.Object(
  { name: name(100, 'Shown in the list.'), credential: Credential },
  { $id: 'NewPasskey', additionalProperties: false },
)

export const PasskeySignIn = Type.Object(
  { credential: Credential },
  { $id: 'PasskeySignIn', additionalProperties: false },
)

/** The options of the Web Authentication API, which defines them. */
export const PasskeyOptions = Type.Object(
  { challenge: Type.String() },
  {
    $id: 'PasskeyOptions',
    description:
      'For `PublicKeyCredential.parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON`.',
  },
)
