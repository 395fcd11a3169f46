import { Type, type Static } from 'typebox'

export const Model = Type.Object(
  {
    id: Type.String({ description: 'Model id; may contain slashes.' }),
    object: Type.Literal('model'),
    created: Type.Integer({
      description: 'Unix time of publication in seconds; 0 if not announced.',
    }),
    owned_by: Type.String({ description: 'The owning organization.' }),
    shutdown_date: Type.Union([Type.String({ format: 'date' }), Type.Null()], {
      description: 'UTC day from which the model is no longer served, or null.',
    }),
    context_length: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Maximum tokens of prompt and output together.' }),
    ),
    max_output_tokens: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Maximum number of tokens generated per request.' }),
    ),
    default_parameters: Type.Optional(
      Type.Object({ max_tokens: Type.Optional(Type.Integer({ minimum: 1 })) }),
    ),
    reasoning: Type.Optional(
      Type.Object({
        supported_efforts: Type.Array(Type.String()),
        default_effort: Type.Optional(Type.String()),
        mandatory: Type.Boolean({ description: 'Whether reasoning cannot be turned off.' }),
      }),
    ),
  },
  { $id: 'Model' },
)
export type Model = Static<typeof Model>

export const ModelList = Type.Object(
  { object: Type.Literal('list'), data: Type.Array(Model) },
  { $id: 'ModelList' },
)
export type ModelList = Static<typeof ModelList>
