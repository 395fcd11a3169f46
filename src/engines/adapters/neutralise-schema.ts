import { SCHEMA_KEYWORDS } from '../../contract/json-schema/keywords.ts'
import { BREAK, neutraliseTexts, type Neutralise } from './neutralise.ts'

/**
 * Neutralises all names and texts in the JSON Schema of a tool. Some templates write a keyword that
 * they do not know as an element (`<keyword>value</keyword>`), so that the keyword `think` would
 * become a control token: keywords that are no part of JSON Schema count as if they were in angle
 * brackets. Names of properties stay as they are, because the model has to use them.
 */
export function neutraliseSchema(schema: unknown, neutralise: Neutralise): unknown {
  if (Array.isArray(schema)) return schema.map((each) => neutraliseSchema(each, neutralise))
  return changeMembers(schema, (keyword, value) => {
    const kind = SCHEMA_KEYWORDS.get(keyword)?.kind
    if (kind === 'schema') return [keyword, neutraliseSchema(value, neutralise)]
    if (kind === 'map') return [keyword, neutraliseMap(value, neutralise)]
    const name = kind === undefined ? neutraliseElement(keyword, neutralise) : keyword
    return [name, neutraliseTexts(value, neutralise)]
  })
}

/** Schemas by the client's names, such as those of properties. */
function neutraliseMap(map: unknown, neutralise: Neutralise): unknown {
  return changeMembers(map, (name, schema) => [
    neutralise(name),
    Array.isArray(schema)
      ? neutraliseTexts(schema, neutralise)
      : neutraliseSchema(schema, neutralise),
  ])
}

type Change = (name: string, value: unknown) => readonly [string, unknown]

function changeMembers(value: unknown, change: Change): unknown {
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => change(name, member)))
}

function neutraliseElement(name: string, neutralise: Neutralise): string {
  const tags = [`<${name}>`, `</${name}>`]
  const isToken = tags.some((tag) => neutralise(tag) !== tag)
  return isToken ? BREAK + neutralise(name) : neutralise(name)
}
