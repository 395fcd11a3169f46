import { Type } from 'typebox'

/** More than the longest prefix, the random part and the checksum need. */
const SECRET_LENGTH_MAX = 200

export const LeakedKey = Type.Object(
  {
    secret: Type.String({
      minLength: 1,
      maxLength: SECRET_LENGTH_MAX,
      description: 'The whole key, as it was shown when it was created.',
    }),
  },
  { $id: 'LeakedKey', additionalProperties: false },
)
