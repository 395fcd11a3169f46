// Writes src/api/routes.ts, the types of the management API, from openapi/management.json.
//   node web/generate-routes.ts           writes it
//   node web/generate-routes.ts --check   exits 1 when the committed file differs
import { readFileSync, writeFileSync } from 'node:fs'

type Schema = {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly patternProperties?: Readonly<Record<string, Schema>>
}
type Content = { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }
type Operation = {
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly schema: Schema
  }[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}
type Document = {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const ROOT = '/management/v1'
const SOURCE = new URL('../openapi/management.json', import.meta.url)
const FILE = new URL('src/api/routes.ts', import.meta.url)

function renderRoutes({ components, paths }: Document): string {
  const types = Object.entries(components.schemas).map(
    ([name, schema]) => `export type ${name} = ${typeOf(schema)}`,
  )
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) =>
        `  '${method.toUpperCase()} ${path.slice(ROOT.length)}': ${renderOperation(operation)}`,
    ),
  )
  return [
    '// Written by web/generate-routes.ts from openapi/management.json.',
    'type Nothing = Readonly<Record<never, never>>',
    ...types,
    `export type Routes = {\n${routes.join('\n')}\n}\n`,
  ].join('\n\n')
}

function renderOperation({ parameters = [], requestBody, responses }: Operation): string {
  const fieldsIn = (where: string) =>
    parameters
      .filter((parameter) => parameter.in === where)
      .map(({ name, required, schema }) => field(name, schema, required === true))
  const body = jsonOf(requestBody)
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
  const answer = jsonOf(success)
  return `{ path: ${objectOf(fieldsIn('path'))}; query: ${objectOf(fieldsIn('query'))}; body: ${
    body === undefined ? 'undefined' : typeOf(body)
  }; answer: ${answer === undefined ? 'undefined' : typeOf(answer)} }`
}

function jsonOf(holder: Content | undefined): Schema | undefined {
  return holder?.content?.['application/json']?.schema
}

function objectOf(fields: readonly string[]): string {
  return fields.length === 0 ? 'Nothing' : `{ ${fields.join('; ')} }`
}

function field(name: string, schema: Schema, required: boolean): string {
  const key = /^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name)
  return `readonly ${key}${required ? '' : '?'}: ${typeOf(schema)}`
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1)!
  if (schema.enum !== undefined)
    return schema.enum.map((value) => JSON.stringify(value).replaceAll('"', "'")).join(' | ')
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' | ')
  switch (schema.type) {
    case 'array':
      return `readonly (${typeOf(schema.items ?? {})})[]`
    case 'integer':
    case 'number':
      return 'number'
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    case 'object':
      return objectType(schema)
    case undefined:
    default:
      return 'unknown'
  }
}

function objectType({ properties = {}, required = [], patternProperties }: Schema): string {
  const [pattern] = Object.values(patternProperties ?? {})
  if (pattern !== undefined) return `Readonly<Record<string, ${typeOf(pattern)}>>`
  return objectOf(
    Object.entries(properties).map(([name, schema]) =>
      field(name, schema, required.includes(name)),
    ),
  )
}

const current = renderRoutes(JSON.parse(readFileSync(SOURCE, 'utf8')) as Document)
if (!process.argv.includes('--check')) writeFileSync(FILE, current)
else if (readFileSync(FILE, 'utf8') !== current) {
  console.error('web/src/api/routes.ts differs from openapi/management.json: run npm run generate')
  process.exitCode = 1
}
