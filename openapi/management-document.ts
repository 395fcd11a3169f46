import { Type, type TObject, type TSchema } from 'typebox'
import { ERRORS, MANAGEMENT_ERRORS } from '../src/contract/error.ts'
import { ROOT } from '../src/platform/api/dispatch.ts'
import type { Route } from '../src/platform/api/route.ts'
import { ROUTES } from '../src/platform/api/routes.ts'
import { scopeOf } from '../src/tenancy/permissions.ts'
import { errorResponse } from './error-response.ts'

const ErrorResponse = errorResponse({ ...ERRORS, ...MANAGEMENT_ERRORS })

/** The management API as an OpenAPI document, from the route table. */
export function managementDocument(version: string) {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of ROUTES) {
    const operations = (paths[`${ROOT}${route.path}`] ??= {})
    operations[route.method.toLowerCase()] = operationOf(route)
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Headrace management API', version },
    paths,
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: '__Host-headrace_session' },
        management_key: { type: 'http', scheme: 'bearer' },
      },
    },
  }
}

function operationOf(route: Route): object {
  const { permission, action, confirmed = false } = route.does
  const scope = scopeOf(permission)
  const parameters = [...pathParameters(route), ...queryParameters(route.query)]
  return {
    operationId: operationIdOf(route),
    summary: route.summary,
    'x-action': action,
    'x-permission': permission,
    'x-confirmation': confirmed,
    security: securityOf(permission, scope),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body !== null && {
      requestBody: { required: true, content: { [mediaTypeOf(route)]: { schema: route.body } } },
    }),
    responses: {
      [route.status]: answerOf(route),
      default: {
        description: 'An error.',
        content: { 'application/json': { schema: ErrorResponse } },
      },
    },
  }
}

function mediaTypeOf({ form }: Route): string {
  return form === true ? 'application/x-www-form-urlencoded' : 'application/json'
}

/** `POST /organizations/{organization}/keys` → `postOrganizationsByOrganizationKeys`. */
function operationIdOf({ method, path }: Route): string {
  const words = path.split('/').flatMap((segment) => {
    const parameter = /^\{(\w+)\}$/.exec(segment)?.[1]
    return parameter === undefined ? segment.split('-') : ['by', ...parameter.split('_')]
  })
  const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
  return `${method.toLowerCase()}${words.map(capital).join('')}`
}

function securityOf(permission: string, scope: string | null): object[] {
  if (permission === 'anyone') return []
  const session = { session: [] }
  return scope === null ? [session] : [session, { management_key: [scope] }]
}

function answerOf({ answer, contentType }: Route): object {
  const description = 'Success.'
  if (answer === undefined && contentType === undefined) return { description }
  const schema: TSchema = answer ?? Type.String()
  return { description, content: { [contentType ?? 'application/json']: { schema } } }
}

function pathParameters({ path }: Route): object[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
}

function queryParameters(query: TObject): object[] {
  const required: readonly string[] = query.required ?? []
  return Object.entries(query.properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
}
