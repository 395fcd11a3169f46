import { Type, type Static } from 'typebox'
import { nullable, Time } from './schemas.ts'

export const AuditStream = Type.Object(
  {
    url: Type.String(),
    created_at: Time,
    delivered: Type.Integer({ description: 'Events that the receiver has confirmed.' }),
    delivered_at: nullable(Time),
    waiting: Type.Integer({ description: 'Events that are still to be sent.' }),
    more_waiting: Type.Boolean({ description: 'There are more than `waiting`.' }),
    failing_since: Type.Union([Time, Type.Null()], {
      description: 'When the receiver last confirmed nothing any more; null while it does.',
    }),
    last_error: nullable(Type.String()),
    next_attempt_at: nullable(Time),
    paused_at: Type.Union([Time, Type.Null()], {
      description:
        'Since when nothing is sent or queued, because the receiver stayed away. Setting the ' +
        'stream again resumes it with what waited; events of the time between are in the log.',
    }),
  },
  { $id: 'AuditStream' },
)
export type AuditStream = Static<typeof AuditStream>

export const FoundAuditStream = Type.Object(
  { stream: Type.Union([AuditStream, Type.Null()], { description: 'Null if there is none.' }) },
  { $id: 'FoundAuditStream' },
)
export type FoundAuditStream = Static<typeof FoundAuditStream>

export const ChangedAuditStream = Type.Object(
  {
    ...AuditStream.properties,
    secret: Type.Union([Type.String(), Type.Null()], {
      description: 'Verifies what the receiver gets. Shown only when it is made.',
    }),
  },
  { $id: 'ChangedAuditStream' },
)
export type ChangedAuditStream = Static<typeof ChangedAuditStream>

export const AuditStreamChange = Type.Object(
  {
    url: Type.String({ minLength: 1, maxLength: 2048, description: 'An https address.' }),
    new_secret: Type.Optional(Type.Boolean({ description: 'Replace the secret.', default: false })),
  },
  { $id: 'AuditStreamChange', additionalProperties: false },
)
export type AuditStreamChange = Static<typeof AuditStreamChange>
