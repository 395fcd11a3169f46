import type { Document, Schema } from './document.ts'

export type Member = {
  /** With the names around it: `limits.requests`, `data[].id`. */
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly meaning: string
}

/** Deeper members are in the document itself; a page with all of them is not read. */
const DEPTH_MAX = 3

/** The members of an object, each followed by those inside it. */
export function listMembers(schema: Schema, document: Document, prefix = '', depth = 0): Member[] {
  const forms = formsOf(schema, document)
  const members = new Map<string, Member>()
  for (const form of forms)
    for (const [name, member] of membersOf(form, document, prefix, depth))
      if (!members.has(name)) members.set(name, member)
  return [...members.values()]
}

function membersOf(form: Schema, document: Document, prefix: string, depth: number) {
  if (form.type === 'array' && form.items !== undefined)
    return listMembers(form.items, document, `${prefix}[]`, depth).map(byName)
  return Object.entries(form.properties ?? {}).flatMap(([name, schema]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`
    const member = {
      name: path,
      type: typeOf(schema, document),
      required: form.required?.includes(name) === true,
      meaning: meaningOf(schema, document),
    }
    const inside = depth < DEPTH_MAX ? listMembers(schema, document, path, depth + 1) : []
    return [member, ...inside].map(byName)
  })
}

function byName(member: Member): readonly [string, Member] {
  return [member.name, member]
}

/** What a value may be, without null. */
function formsOf(schema: Schema, document: Document): Schema[] {
  const resolved = resolve(schema, document)
  if (resolved.anyOf === undefined) return resolved.type === 'null' ? [] : [resolved]
  return resolved.anyOf.flatMap((each) => formsOf(each, document))
}

function resolve(schema: Schema, document: Document): Schema {
  if (schema.$ref === undefined) return schema
  const name = schema.$ref.split('/').at(-1) ?? ''
  const found = document.components.schemas[name]
  if (found === undefined) throw new Error(`there is no schema ${schema.$ref}`)
  return found
}

/** In words: `list of string`, `integer from 1 to 100 or null`. */
export function typeOf(schema: Schema, document: Document): string {
  const { anyOf, type, enum: choices, items } = resolve(schema, document)
  if (anyOf !== undefined) {
    const types = new Set(anyOf.map((each) => typeOf(each, document)))
    return [...types].join(' or ')
  }
  if (choices !== undefined) return choices.map((each) => `\`${String(each)}\``).join(', ')
  const resolved = resolve(schema, document)
  if (resolved.const !== undefined) return `\`${String(resolved.const)}\``
  if (type === 'array') return items === undefined ? 'list' : `list of ${typeOf(items, document)}`
  if (resolved.format === 'uuid') return 'UUID'
  if (resolved.format === 'date-time') return 'time'
  return `${type ?? 'any value'}${boundsOf(resolved)}`
}

function boundsOf({ minimum, maximum }: Schema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`
  if (minimum !== undefined) return ` from ${minimum}`
  return maximum === undefined ? '' : ` up to ${maximum}`
}

/** The description of a value, or of the first of its forms that has one. */
export function meaningOf(schema: Schema, document: Document): string {
  if (schema.description !== undefined) return schema.description
  const { description, anyOf = [] } = resolve(schema, document)
  const inForms = anyOf.map((each) => meaningOf(each, document)).find((text) => text !== '')
  return description ?? inForms ?? ''
}
