import type { Settings } from '../use-case/environment.ts'

/** Where providers find SCIM: the base URL that an owner enters there. */
export function scimRoot({ console: { public_url: root } }: Settings): string {
  return `${root.endsWith('/') ? root.slice(0, -1) : root}/scim/v2`
}
