import { Type, type TObject, type TSchema } from 'typebox'
import { ERRORS, MANAGEMENT_ERRORS } from '../src/contract/error.ts'
import { ROOT } from '../src/platform/api/dispatch.ts'
import type { Route } from '../src/platform/api/route.ts'
import { ROUTES } from '../src/platform/api/routes.ts'
import { scopeOf } from '../src/tenancy/permissions.ts'
import { errorResponse } from './error-response.ts'
import { resourceOf, titleOf } from './resource-of.ts'

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
    info: {
      title: 'Headrace management API',
      version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description:
        'Keys, members, usage, money and everything else that the console shows. Scripts send a ' +
        'management key, the console its session.',
    },
    servers: [
      {
        url: '{console_url}',
        description: 'Your installation. The default is that of the demo.',
        variables: {
          console_url: {
            default: 'http://127.0.0.1:8081',
            description: 'The setting `console.public_url`.',
          },
        },
      },
    ],
    security: [{ session: [] }, { management_key: [] }],
    tags: [...new Set(ROUTES.map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-headrace_session',
          description: 'The cookie of a person who signed in.',
        },
        management_key: {
          type: 'http',
          scheme: 'bearer',
          description: 'A management key (`headrace_mk_…`) with the scope that is listed.',
        },
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
    tags: [tagOf(route)],
    summary: summaryOf(route),
    description: route.summary,
    'x-action': action,
    'x-permission': permission,
    'x-confirmation': confirmed,
    security: securityOf(permission, scope),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body !== null && {
      requestBody: { required: true, content: { [mediaTypeOf(route)]: bodyOf(route) } },
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

function tagOf(route: Route): string {
  return titleOf(resourceOf(route))
}

/** The first sentence without its full stop: tools show it in a list. */
function summaryOf({ summary }: Route): string {
  return summary.split(/[.:] /, 1)[0]!.replace(/\.$/, '')
}

function bodyOf({ body, example }: Route): object {
  return { schema: body, ...(example?.body !== undefined && { example: example.body }) }
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
