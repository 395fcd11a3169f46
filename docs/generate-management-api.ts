// Writes docs/management-api.md from the route table of the management API.
//   node docs/generate-management-api.ts           writes it
//   node docs/generate-management-api.ts --check   exits 1 when the committed page differs
import { readFileSync, writeFileSync } from 'node:fs'
import type { TObject, TSchema } from 'typebox'
import { resourceOf, titleOf } from '../openapi/resource-of.ts'
import { MANAGEMENT_ERRORS } from '../src/contract/error.ts'
import { ROOT } from '../src/platform/api/dispatch.ts'
import type { Route } from '../src/platform/api/route.ts'
import { ROUTES } from '../src/platform/api/routes.ts'
import {
  isOrganizationPermission,
  ORGANIZATION_PERMISSIONS,
  PLATFORM_PERMISSIONS,
  scopeOf,
  type Permission,
  type PlatformPermission,
} from '../src/tenancy/permissions.ts'

const PAGE = new URL('management-api.md', import.meta.url)

type Described = { readonly description?: string; readonly anyOf?: readonly Described[] }

/** What is written by hand stays; errors and routes are between their marks. */
function renderPage(page: string): string {
  const groups = Map.groupBy(ROUTES, resourceOf)
  const routes = [
    ...[...groups].map(([name, rows]) => listGroup(name, rows)),
    ...[...groups].flatMap(([name, rows]) => [`### ${titleOf(name)}\n`, ...rows.map(renderRoute)]),
  ]
  return between(between(page, 'errors', renderErrors()), 'routes', routes.join('\n'))
}

function between(page: string, name: string, text: string): string {
  const begin = `<!-- Generated ${name}: written by docs/generate-management-api.ts. -->\n`
  const end = `<!-- End of the generated ${name}. -->\n`
  const [before, rest] = page.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined)
    throw new Error(`docs/management-api.md has no place for the ${name}`)
  return `${before}${begin}\n${text}\n${end}${after}`
}

function listGroup(name: string, routes: readonly Route[]): string {
  const rows = routes.map((route) => {
    const mark = route.does.confirmed === true ? ' ◆' : ''
    return `| [\`${route.method} ${route.path}\`](#${anchorOf(route)})${mark} | ${route.summary} |`
  })
  return [`**${titleOf(name)}**\n`, '| Route | What it does |', '| --- | --- |', ...rows, ''].join(
    '\n',
  )
}

function anchorOf({ method, path }: Route): string {
  return `${method} ${path}`
    .toLowerCase()
    .replaceAll(/[^a-z0-9 _-]/g, '')
    .replaceAll(' ', '-')
}

function renderRoute(route: Route): string {
  const { method, path, summary, does, status, body, query } = route
  const facts = [
    `- Who: ${whoMay(does.permission)}`,
    `- Management key: ${scopeText(does.permission)}`,
    ...(does.confirmed === true ? ['- ◆ Needs a confirmation of the last ten minutes.'] : []),
    ...(does.kind === 'change' || does.action.endsWith('.export')
      ? [`- Audit event: \`${does.action}\``]
      : []),
    `- Answer: ${status}${answerText(route)}`,
  ]
  return [
    `#### \`${method} ${path}\`\n`,
    `${summary}\n`,
    `${facts.join('\n')}\n`,
    ...renderMembers('Query parameter', query),
    ...(body === null ? [] : renderMembers('Member of the body', body)),
    `\`\`\`sh\n${curlOf(route)}\n\`\`\`\n`,
  ].join('\n')
}

const SPECIAL: Readonly<Partial<Record<Permission, string>>> = {
  anyone: 'anyone, without signing in',
  'second-factor': 'a person who is signing in, before the second factor',
  self: 'anyone who is signed in',
}

function whoMay(permission: Permission): string {
  const special = SPECIAL[permission]
  if (special !== undefined) return special
  if (!isOrganizationPermission(permission)) {
    const rule = PLATFORM_PERMISSIONS[permission as PlatformPermission]
    return rule === undefined ? permission : rule.roles.join(', ')
  }
  const { roles, support } = ORGANIZATION_PERMISSIONS[permission]
  const names = Object.entries(roles).map(([role, grant]) =>
    grant === 'own' ? `${role} (own only)` : role,
  )
  return [...names, ...(support ? ['support with consent'] : [])].join(', ')
}

function scopeText(permission: Permission): string {
  const scope = scopeOf(permission)
  if (scope !== null) return `scope \`${scope}\``
  return permission === 'anyone' ? 'not needed' : 'no'
}

function answerText({ answer, contentType, secret }: Route): string {
  const { $id: name } = (answer ?? {}) as { $id?: string }
  const form = contentType ?? (name === undefined ? undefined : `\`${name}\``)
  return `${form === undefined ? '' : `, ${form}`}${secret ? '; contains a secret' : ''}`
}

function renderMembers(title: string, schema: TObject): string[] {
  const required: readonly string[] = schema.required ?? []
  const rows = Object.entries(schema.properties).map(([name, each]) => {
    const needed = required.includes(name) ? 'yes' : 'no'
    return `| \`${name}\` | ${typeOf(each)} | ${needed} | ${describe(each)} |`
  })
  if (rows.length === 0) return []
  return [`| ${title} | Type | Required | Meaning |`, '| --- | --- | --- | --- |', ...rows, '']
}

function typeOf(schema: TSchema): string {
  const { type, anyOf, enum: choices, format, items, $id } = schema as Record<string, unknown>
  if (Array.isArray(choices)) return choices.map((each) => `\`${String(each)}\``).join(', ')
  if (Array.isArray(anyOf)) return anyOf.map((each) => typeOf(each as TSchema)).join(' or ')
  if (type === 'array') return `list of ${typeOf(items as TSchema)}`
  if ('const' in schema) return `\`${String(schema['const'])}\``
  if (typeof $id === 'string') return `\`${$id}\``
  return format === 'uuid' ? 'UUID' : format === 'date-time' ? 'time' : String(type)
}

function describe(schema: TSchema): string {
  const { description, anyOf = [] } = schema as Described
  const text =
    description ?? anyOf.map((each) => each.description ?? '').find((each) => each !== '')
  return (text ?? '').replaceAll('|', '\\|')
}

/** People send a cookie, and scripts a key where one may do it. */
function curlOf(route: Route): string {
  const { method, path, example, body, does, anywhere } = route
  const shown = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`)
  const query = example?.query === undefined ? '' : `?${example.query}`
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}"$CONSOLE${ROOT}${shown}${query}"`]
  if (scopeOf(does.permission) !== null) lines.push('-H "Authorization: Bearer $MANAGEMENT_KEY"')
  else {
    if (does.permission !== 'anyone') lines.push('-b "__Host-headrace_session=$SESSION"')
    if (method !== 'GET' && anywhere !== true) lines.push('-H "Origin: $CONSOLE"')
  }
  if (route.form === true) {
    for (const [name, value] of Object.entries(example?.body ?? {}))
      lines.push(`--data-urlencode '${name}=${String(value)}'`)
    return lines.join(' \\\n  ')
  }
  if (method !== 'GET') lines.push("-H 'Content-Type: application/json'")
  if (body !== null)
    lines.push(`-d '${JSON.stringify(example?.body ?? {}).replaceAll("'", "'\\''")}'`)
  return lines.join(' \\\n  ')
}

function renderErrors(): string {
  const byStatus = Map.groupBy(Object.values(MANAGEMENT_ERRORS), ({ status }) => status)
  const rows = [...byStatus]
    .toSorted(([one], [other]) => one - other)
    .map(
      ([status, errors]) => `| ${status} | ${errors.map(({ code }) => `\`${code}\``).join(', ')} |`,
    )
  return ['| Status | `code` |', '| --- | --- |', ...rows, ''].join('\n')
}

const page = readFileSync(PAGE, 'utf8')
const current = renderPage(page)
if (!process.argv.includes('--check')) writeFileSync(PAGE, current)
else if (page !== current) {
  console.error('docs/management-api.md differs from the route table: run npm run generate')
  process.exitCode = 1
}
