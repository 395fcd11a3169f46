import { Type, type Static } from 'typebox'

export const Model = Type.Object(
  {
    id: Type.String({ description: 'Model identifier; may contain slashes.' }),
    object: Type.Literal('model'),
    created: Type.Integer({ description: 'Unix seconds of publication; 0 when not announced.' }),
    owned_by: Type.String({ description: 'The owning organization.' }),
    shutdown_date: Type.Union([Type.String({ format: 'date' }), Type.Null()], {
      description: 'UTC day from which the model is no longer served, or null.',
    }),
    context_length: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Prompt and output together, in tokens.' }),
    ),
    max_output_tokens: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Most tokens generated for one request.' }),
    ),
    default_parameters: Type.Optional(
      Type.Object({ max_tokens: Type.Optional(Type.Integer({ minimum: 1 })) }),
    ),
    reasoning: Type.Optional(
      Type.Object({
        supported_efforts: Type.Array(Type.String()),
        default_effort: Type.Optional(Type.String()),
        mandatory: Type.Boolean({ description: 'No value turns reasoning off.' }),
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
