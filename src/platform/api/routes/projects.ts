import {
  ListedProject,
  NewProject,
  Project,
  ProjectChange,
  ProjectsQuery,
} from '../../../contract/management/project.ts'
import { listOf } from '../../../contract/management/schemas.ts'
import { archiveProject } from '../../projects/archive-project.ts'
import { changeProject } from '../../projects/change-project.ts'
import { createProject } from '../../projects/create-project.ts'
import { listProjects } from '../../projects/list-projects.ts'
import { showProject } from '../../projects/show-project.ts'
import { defineRoute, type Route, type RouteRequest } from '../route.ts'
import { withEtag } from '../with-etag.ts'

const PROJECTS = '/organizations/{organization}/projects'
const PROJECT = `${PROJECTS}/{project}`

export const PROJECT_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: PROJECTS,
    summary: 'List projects, newest first, including archived ones.',
    does: listProjects,
    query: ProjectsQuery,
    status: 200,
    answer: listOf(ListedProject),
    input: ({ path, query }) => ({ organization: path['organization']!, ...query }),
  }),
  defineRoute({
    method: 'POST',
    path: PROJECTS,
    summary: 'Create a project.',
    does: createProject,
    body: NewProject,
    status: 201,
    answer: Project,
    input: ({ path, body }) => ({ organization: path['organization']!, ...body }),
    reply: withEtag,
    example: { body: { name: 'search', spending_limit: { amount: '50.00' } } },
  }),
  defineRoute({
    method: 'GET',
    path: PROJECT,
    summary: 'Show a project.',
    does: showProject,
    status: 200,
    answer: Project,
    input: named,
    reply: withEtag,
  }),
  defineRoute({
    method: 'PATCH',
    path: PROJECT,
    summary: 'Change the name or the spending limit of a project.',
    does: changeProject,
    body: ProjectChange,
    status: 200,
    answer: Project,
    input: (request) => ({
      ...named(request),
      ...request.body,
      ifMatch: request.client.ifMatch,
    }),
    reply: withEtag,
    example: { body: { spending_limit: { amount: '100.00' } } },
  }),
  defineRoute({
    method: 'POST',
    path: `${PROJECT}/archive`,
    summary: 'Archive a project permanently. Its API keys stop working at the next request.',
    does: archiveProject,
    status: 200,
    answer: Project,
    input: (request) => ({ ...named(request), ifMatch: request.client.ifMatch }),
    reply: withEtag,
  }),
]

function named({ path }: RouteRequest<unknown, unknown>) {
  return { organization: path['organization']!, project: path['project']! }
}
