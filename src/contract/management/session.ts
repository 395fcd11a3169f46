import { Type, type Static } from 'typebox'
import { Code, Credential } from './factor.ts'
import { Id, nullable, Time } from './schemas.ts'

const EMAIL_LENGTH_MAX = 254
/** Longer than any password that is accepted; bounds the work of a guess. */
const PASSWORD_LENGTH_MAX = 1_024

export const Email = Type.String({
  minLength: 3,
  maxLength: EMAIL_LENGTH_MAX,
  description: 'Email address.',
})

/** As typed, whether or not it follows the rules of new passwords. */
const GivenPassword = Type.String({
  maxLength: PASSWORD_LENGTH_MAX,
  description: 'Password.',
})

export const NewPassword = Type.String({
  maxLength: PASSWORD_LENGTH_MAX,
  description:
    'Password of 12 to 256 characters; not a common one, not the email address or a name of ' +
    'the service.',
})

export const LinkToken = Type.String({
  pattern: '^[A-Za-z0-9_-]{43}$',
  expected: 'a token',
  description: 'The part of the link after `#token=`.',
})

export const SignIn = Type.Object(
  { email: Email, password: GivenPassword },
  { $id: 'SignIn', additionalProperties: false },
)

export const Confirmation = Type.Object(
  {
    password: Type.Optional(GivenPassword),
    code: Type.Optional(Code),
    credential: Type.Optional(Credential),
  },
  {
    $id: 'Confirmation',
    additionalProperties: false,
    description: 'Exactly one of them.',
  },
)
export type Confirmation = Static<typeof Confirmation>

export const Session = Type.Object(
  {
    id: Id,
    current: Type.Boolean({ description: 'Whether it is the session of this request.' }),
    created_at: Time,
    seen_at: Time,
    ends_at: Time,
    methods: Type.Array(Type.String(), {
      description: '`password`, `passkey`, `totp`, `recovery_code`, `link` or `sso:…`.',
    }),
    user_agent: nullable(Type.String()),
    address_prefix: nullable(Type.String()),
  },
  { $id: 'Session' },
)
export type Session = Static<typeof Session>

/** The answer to a sign-in and to a confirmation. The token is only in the cookie. */
export const SignedIn = Type.Object(
  {
    session: Session,
    second_factor: Type.Enum(['complete', 'required', 'enrol'], {
      description:
        '`required`: nothing works until the second factor is given. `enrol`: until one is ' +
        'enrolled.',
    }),
  },
  { $id: 'SignedIn' },
)
