// docs/roles.md says what the code allows, right by right.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  grantOf,
  ORGANIZATION_PERMISSIONS,
  PLATFORM_PERMISSIONS,
  scopeOf,
  type OrganizationPermission,
  type PlatformPermission,
} from '../../src/tenancy/permissions.ts'
import { PLATFORM_ROLES, ROLES, type Role } from '../../src/tenancy/role.ts'
import { readFile } from './pages.ts'

const GRANTS = { all: 'yes', own: 'own' } as const

/** The rows of the page: the name of a right, then its cells after the description. */
function readRows(page: string): Record<string, string[]> {
  const rows = [...page.matchAll(/^\| `([a-z-]+:[a-z]+)` *\|(.*)\|$/gm)]
  return Object.fromEntries(
    rows.map(([, name = '', rest = '']) => {
      const cells = rest.split('|').map((cell) => cell.trim())
      return [name, cells.slice(1)]
    }),
  )
}

const scopeText = (scope: string | null) => (scope === null ? 'never' : `\`${scope}\``)

function organizationRow(permission: OrganizationPermission): string[] {
  const grants = ROLES.map((role: Role) => {
    const grant = grantOf(permission, role)
    return grant === undefined ? '–' : GRANTS[grant]
  })
  return [...grants, scopeText(scopeOf(permission))]
}

function platformRow(permission: PlatformPermission): string[] {
  const roles: readonly string[] = PLATFORM_PERMISSIONS[permission].roles
  const grants = PLATFORM_ROLES.toReversed().map((role) => (roles.includes(role) ? 'yes' : '–'))
  return [...grants, scopeText(scopeOf(permission))]
}

test('docs/roles.md has a row for each right, and says who has it as the code does', () => {
  const organization = Object.keys(ORGANIZATION_PERMISSIONS) as OrganizationPermission[]
  const platform = Object.keys(PLATFORM_PERMISSIONS) as PlatformPermission[]
  assert.deepEqual(readRows(readFile('docs/roles.md')), {
    ...Object.fromEntries(organization.map((name) => [name, organizationRow(name)])),
    ...Object.fromEntries(platform.map((name) => [name, platformRow(name)])),
  })
})
