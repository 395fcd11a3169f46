// What SCIM answers with (RFC 7643), and the documents that describe it.

export const SCHEMAS = {
  user: 'urn:ietf:params:scim:schemas:core:2.0:User',
  group: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  list: 'urn:ietf:params:scim:api:messages:2.0:ListResponse',
  error: 'urn:ietf:params:scim:api:messages:2.0:Error',
  config: 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig',
  resourceType: 'urn:ietf:params:scim:schemas:core:2.0:ResourceType',
  schema: 'urn:ietf:params:scim:schemas:core:2.0:Schema',
} as const

export type ScimMeta = {
  readonly resourceType: string
  readonly location: string
  readonly created?: string
  readonly lastModified?: string
}

export type ScimResource = {
  readonly schemas: readonly string[]
  readonly id: string
  readonly meta: ScimMeta
  readonly [attribute: string]: unknown
}

export type ScimList = {
  readonly schemas: readonly string[]
  readonly totalResults: number
  readonly startIndex: number
  readonly itemsPerPage: number
  readonly Resources: readonly object[]
}

type Attribute = Readonly<Record<string, unknown>>

function attribute(name: string, description: string, facts: object = {}): Attribute {
  return {
    name,
    type: 'string',
    multiValued: false,
    description,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    ...facts,
  }
}

const USER_ATTRIBUTES: readonly Attribute[] = [
  attribute('userName', 'Address in a verified domain, unless `emails` has one.', {
    required: true,
    uniqueness: 'server',
  }),
  attribute('name', 'Names of the person.', {
    type: 'complex',
    subAttributes: [attribute('givenName', 'Given name.'), attribute('familyName', 'Family name.')],
  }),
  attribute('displayName', 'Name to show.'),
  attribute('active', 'Whether the person is a member.', { type: 'boolean', required: true }),
  attribute('emails', 'Address with which the person signs in. Nobody but them changes it.', {
    type: 'complex',
    multiValued: true,
    mutability: 'readOnly',
    subAttributes: [
      attribute('value', 'Address.', { mutability: 'readOnly' }),
      attribute('type', 'Always work.', { mutability: 'readOnly' }),
      attribute('primary', 'Always true.', { type: 'boolean', mutability: 'readOnly' }),
    ],
  }),
]

const GROUP_ATTRIBUTES: readonly Attribute[] = [
  attribute('displayName', 'Name, by which an owner gives the group a role.', { required: true }),
  attribute('members', 'Members of the group.', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', 'Id of the user.', { mutability: 'immutable', caseExact: true }),
      attribute('$ref', 'Address of the user.', {
        type: 'reference',
        referenceTypes: ['User'],
        mutability: 'immutable',
      }),
      attribute('type', 'Always User.', { mutability: 'immutable', canonicalValues: ['User'] }),
    ],
  }),
]

const RESOURCE_TYPES = [
  { id: 'User', endpoint: '/Users', schema: SCHEMAS.user, description: 'Member' },
  { id: 'Group', endpoint: '/Groups', schema: SCHEMAS.group, description: 'Group' },
] as const

export function describeSchemas(root: string): ScimResource[] {
  return [
    { id: SCHEMAS.user, name: 'User', attributes: USER_ATTRIBUTES },
    { id: SCHEMAS.group, name: 'Group', attributes: GROUP_ATTRIBUTES },
  ].map((schema) => ({
    schemas: [SCHEMAS.schema],
    ...schema,
    description: schema.name,
    meta: { resourceType: 'Schema', location: `${root}/Schemas/${schema.id}` },
  }))
}

export function describeResourceTypes(root: string): ScimResource[] {
  return RESOURCE_TYPES.map((type) => ({
    schemas: [SCHEMAS.resourceType],
    name: type.id,
    ...type,
    meta: { resourceType: 'ResourceType', location: `${root}/ResourceTypes/${type.id}` },
  }))
}

/** What of SCIM is there. `id` is no attribute of this document. */
export function describeService(root: string, resultsMax: number): object {
  const no = { supported: false }
  return {
    schemas: [SCHEMAS.config],
    patch: { supported: true },
    bulk: { ...no, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: resultsMax },
    changePassword: no,
    sort: no,
    etag: no,
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'SCIM token',
        description: 'Made by an owner of the organization, in Settings, Sign-in.',
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${root}/ServiceProviderConfig` },
  }
}

export function listOfResources(
  resources: readonly object[],
  { total = resources.length, startIndex = 1 } = {},
): ScimList {
  return {
    schemas: [SCHEMAS.list],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  }
}
