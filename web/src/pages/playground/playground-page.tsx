import { useEffect, useState } from 'react'
import { API_ROOT } from '../../api/place.ts'
import { Fault } from '../../api/fault.ts'
import type { PlanModel, Project } from '../../api/routes.ts'
import { useApi } from '../../api/use-api.ts'
import { Page } from '../../parts/page.tsx'
import { Empty, FaultNote, Skeleton } from '../../parts/states.tsx'
import { lastProject } from '../../shell/last-used.ts'
import { useOrganization } from '../../shell/organization.tsx'
import { useMe } from '../../shell/session.ts'
import { playground } from '../../words/playground.ts'
import { route } from './route.ts'
import { credentialFor } from './stream/credential.ts'
import { Desk } from './desk.tsx'

const PROJECTS_SHOWN = 100
const DEFAULT_PROJECT = 'default'
/** How often states of models are read again. */
const STATES_MS = 10_000

/** Tries models with the real API. This part decides whether that is possible at all. */
export function PlaygroundPage() {
  const organization = useOrganization()
  const { path } = organization
  const me = useMe()
  const isOperator = me.data?.platform_role === 'operator'
  const may = organization.may('playground:use')
  const search = route.useSearch()
  const models = useApi('GET /organizations/{organization}/models', { path }, { every: STATES_MS })
  const projects = useApi('GET /organizations/{organization}/projects', {
    path,
    query: { limit: PROJECTS_SHOWN },
  })
  const open = projects.data?.data.filter((each) => each.archived_at === null)
  const project = open && chooseProject(open, organization.slug, search.project)
  const refusal = useFirstCredential(
    organization.slug,
    may && API_ROOT !== '' ? project : undefined,
  )
  const account = me.data?.id
  if (!may) return <Off title={playground.notYours}>{playground.notYoursText}</Off>
  const variable = switchedOffBy(refusal)
  if (variable !== undefined)
    return (
      <Off title={playground.off}>
        {isOperator ? playground.offOperator(variable) : playground.offText}
      </Off>
    )
  const fault = models.error ?? projects.error ?? refusal
  if (models.data === undefined || open === undefined || account === undefined)
    return (
      <Page title={playground.title}>
        {fault === null ? <Skeleton lines={6} /> : <FaultNote fault={fault} />}
      </Page>
    )
  const [first] = models.data.data
  if (first === undefined) return <Off title={playground.noModels}>{playground.noModelsText}</Off>
  if (project === undefined)
    return <Off title={playground.noProject}>{playground.noProjectText}</Off>
  return (
    <Desk
      account={account}
      models={models.data.data as readonly [PlanModel, ...PlanModel[]]}
      projects={open}
      project={project}
      refusal={refusal}
    />
  )
}

/** The one in the address, the one that was used last, or the one that every organization has. */
function chooseProject(
  projects: readonly Project[],
  slug: string,
  asked: string | undefined,
): Project | undefined {
  const last = lastProject(slug)
  return (
    projects.find(({ id }) => id === asked) ??
    projects.find(({ id }) => id === last) ??
    projects.find(({ name }) => name === DEFAULT_PROJECT) ??
    projects[0]
  )
}

function Off({ title, children }: { readonly title: string; readonly children: string }) {
  return (
    <Page title={playground.title}>
      <Empty title={title}>{children}</Empty>
    </Page>
  )
}

/** The setting that is missing on the server. */
function switchedOffBy(refusal: Fault | null): string | undefined {
  if (API_ROOT === '') return playground.variables.address
  return refusal?.code === 'service_unavailable' ? playground.variables.key : undefined
}

/** Asks for a credential before the first message: it is fast then, and a refusal shows at once. */
function useFirstCredential(slug: string, project: Project | undefined): Fault | null {
  const [refusal, setRefusal] = useState<Fault | null>(null)
  const id = project?.id
  useEffect(() => {
    if (id === undefined) return
    let left = false
    credentialFor({ organization: slug, project: id })
      .then(() => left || setRefusal(null))
      .catch((error: unknown) => {
        if (!left && error instanceof Fault) setRefusal(error)
      })
    return () => {
      left = true
    }
  }, [slug, id])
  return refusal
}
