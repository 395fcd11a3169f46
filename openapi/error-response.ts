import { Type } from 'typebox'

type ErrorRow = { readonly type: string; readonly code: string | null }

/** The body of an error response of an interface with these errors. */
export function errorResponse(errors: Readonly<Record<string, ErrorRow>>) {
  const rows = Object.values(errors)
  return Type.Object(
    {
      error: Type.Object({
        message: Type.String({ description: 'Human-readable. Never quotes the request.' }),
        type: Type.Enum([...new Set(rows.map(({ type }) => type))]),
        param: Type.Union([Type.String(), Type.Null()], {
          description: 'The parameter that is wrong, such as messages[2].content[0].type.',
        }),
        code: Type.Union([
          Type.Enum(rows.flatMap(({ code }) => (code === null ? [] : [code]))),
          Type.Null(),
        ]),
      }),
    },
    { $id: 'ErrorResponse' },
  )
}
