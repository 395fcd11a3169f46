import { Errors } from 'typebox/schema'

export type Verdict =
  | { readonly kind: 'json' | 'valid' | 'not_json' }
  | { readonly kind: 'invalid'; readonly at: string; readonly message: string }

/** Whether a text is JSON and follows the schema that was sent. Loaded when it is needed. */
export function checkAnswer(text: string, schema: object | undefined): Verdict {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { kind: 'not_json' }
  }
  if (schema === undefined) return { kind: 'json' }
  const [isValid, errors] = Errors(schema, value)
  if (isValid) return { kind: 'valid' }
  const [first] = errors
  return { kind: 'invalid', at: first?.instancePath ?? '', message: first?.message ?? '' }
}
