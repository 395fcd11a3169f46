import { byCode, fields, type FieldWords } from '../words/errors.ts'

/** The sentences of the API about one field: 'name' must have at most 100 characters. */
const FIELD_RULES: readonly (readonly [RegExp, keyof FieldWords])[] = [
  [/^is required\.$/, 'required'],
  [/^must not be empty\.$/, 'empty'],
  [/^has the wrong form\.$/, 'form'],
  [/^must have at most (\d{1,9}) characters\.$/, 'charactersMost'],
  [/^must have at least (\d{1,9}) characters\.$/, 'charactersLeast'],
  [/^must have at most (\d{1,9}) items\.$/, 'itemsMost'],
  [/^must be at most (-?[\d.]{1,20})\.$/, 'most'],
  [/^must be at least (-?[\d.]{1,20})\.$/, 'least'],
  [/^must be one of: (.{1,500})\.$/, 'oneOf'],
  [/^must be one email address\.$/, 'email'],
  [/^must be an amount such as /, 'amount'],
]
const FIELD = /^('[^']{1,200}') (.+)$/

/**
 * The words for an error. The API writes English, for whoever reads logs; elsewhere its code says
 * what happened, and its sentence is shown only for a code that has no words.
 */
export function faultWords(message: string, code: string | null): string {
  if (byCode === null || fields === null) return message
  const [, field, rule = ''] = FIELD.exec(message) ?? []
  const words: Readonly<Record<string, string>> = byCode
  if (field === undefined) return (code === null ? undefined : words[code]) ?? message
  for (const [pattern, name] of FIELD_RULES) {
    const found = pattern.exec(rule)
    if (found === null) continue
    const text = fields[name]
    return `${field} ${typeof text === 'string' ? text : text(found[1] ?? '')}`
  }
  return `${field} ${fields.other}`
}
