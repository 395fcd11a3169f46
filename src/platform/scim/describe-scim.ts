import { ApiError } from '../../contract/error.ts'
import {
  describeResourceTypes,
  describeSchemas,
  describeService,
  listOfResources,
} from '../../contract/scim/resources.ts'
import { notFound } from '../use-case/authorize.ts'
import { defineRead } from '../use-case/use-case.ts'
import { RESULTS_MAX } from './read-query.ts'
import { scimRoot } from './scim-root.ts'

const READ = { permission: 'people:provision' } as const

export const showService = defineRead({ action: 'scim.read', ...READ }, async ({ environment }) =>
  describeService(scimRoot(environment.settings), RESULTS_MAX),
)

export const listSchemas = defineRead(
  { action: 'scim.schemas', ...READ },
  async ({ environment }) => listOfResources(describeSchemas(scimRoot(environment.settings))),
)

export const listResourceTypes = defineRead(
  { action: 'scim.resource_types', ...READ },
  async ({ environment }) => listOfResources(describeResourceTypes(scimRoot(environment.settings))),
)

type Named = { readonly id: string }

export const showSchema = defineRead(
  { action: 'scim.schema', ...READ },
  async ({ environment }, { id }: Named) => {
    const schemas = describeSchemas(scimRoot(environment.settings))
    const schema = schemas.find((each) => each.id === decode(id))
    if (schema === undefined) throw notFound()
    return schema
  },
)

export const showResourceType = defineRead(
  { action: 'scim.resource_type', ...READ },
  async ({ environment }, { id }: Named) => {
    const types = describeResourceTypes(scimRoot(environment.settings))
    const type = types.find((each) => each.id === id)
    if (type === undefined) throw notFound()
    return type
  },
)

/** What RFC 7644 lets a service leave out, and wants to be told of in this way. */
export const refuseOptional = defineRead({ action: 'scim.optional', ...READ }, async () => {
  throw new ApiError('not_implemented', 'This part of SCIM is not offered.')
})

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
