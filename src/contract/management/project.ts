import { Type, type Static } from 'typebox'
import {
  Id,
  KeyCount,
  Money,
  name,
  NewMoney,
  nullable,
  PAGE_QUERY,
  sortQuery,
  Time,
} from './schemas.ts'

const SPENDING_LIMIT = 'Per calendar month (UTC); null: no limit.'

export const Project = Type.Object(
  {
    id: Id,
    name: Type.String(),
    spending_limit: Type.Union([Money, Type.Null()], { description: SPENDING_LIMIT }),
    created_at: Time,
    archived_at: nullable(Time),
  },
  { $id: 'Project' },
)
export type Project = Static<typeof Project>

export const ListedProject = Type.Object(
  {
    ...Project.properties,
    keys: Type.Union([KeyCount, Type.Null()], {
      description: 'API keys that were not revoked; null if you may not see all of them.',
    }),
  },
  { $id: 'ListedProject' },
)
export type ListedProject = Static<typeof ListedProject>

export const ProjectsQuery = Type.Object(
  { ...PAGE_QUERY, ...sortQuery(['name'], 'projects') },
  { additionalProperties: false },
)
export type ProjectsQuery = Static<typeof ProjectsQuery>

const SETTINGS = {
  name: name(100, 'Unique among the projects that are not archived.'),
  spending_limit: Type.Optional(
    Type.Union([NewMoney, Type.Null()], { description: SPENDING_LIMIT }),
  ),
}

export const NewProject = Type.Object(SETTINGS, { $id: 'NewProject', additionalProperties: false })
export type NewProject = Static<typeof NewProject>

export const ProjectChange = Type.Object(
  { ...SETTINGS, name: Type.Optional(SETTINGS.name) },
  { $id: 'ProjectChange', additionalProperties: false },
)
export type ProjectChange = Static<typeof ProjectChange>
