import { Link, useParams } from '@tanstack/react-router'
import { Archive, ChevronLeft } from 'lucide-react'
import { useState } from 'react'
import type { Project } from '../../api/routes.ts'
import { useApi, useChange } from '../../api/use-api.ts'
import { formatDate } from '../../format/time.ts'
import { Button } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { isAtField } from '../../parts/field.tsx'
import { FaultNote, Loaded } from '../../parts/states.tsx'
import { Instant } from '../../parts/time.tsx'
import { say } from '../../parts/toast.tsx'
import { useCurrency } from '../../shell/currency.ts'
import { useOrganization } from '../../shell/organization.tsx'
import { everywhere } from '../../words/everywhere.ts'
import { project as words } from '../../words/projects.ts'
import { ArchiveProject } from './archive-project.tsx'
import { fieldsOf, limitOf, PROJECT_FIELDS, ProjectFieldset } from './project-form.tsx'
import { ProjectKeys } from './project-keys.tsx'
import { ProjectMonth } from './project-month.tsx'

export function ProjectPage() {
  const { slug, path } = useOrganization()
  const { project: id = '' } = useParams({ strict: false })
  const reading = useApi('GET /organizations/{organization}/projects/{project}', {
    path: { ...path, project: id },
  })
  return (
    <Page
      title={reading.data?.name ?? words.title}
      crumb={
        <Link className="crumb" to="/o/$slug/projects" params={{ slug }}>
          <ChevronLeft size={14} aria-hidden /> {words.crumb}
        </Link>
      }
      sub={
        typeof reading.data?.archived_at === 'string' &&
        words.isArchived(formatDate(reading.data.archived_at))
      }
    >
      <Loaded reading={reading} what={words.title}>
        {(project) => <OneProject key={project.id} project={project} />}
      </Loaded>
    </Page>
  )
}

function OneProject({ project }: { readonly project: Project }) {
  const { may } = useOrganization()
  const [archiving, setArchiving] = useState(false)
  const mayChange = may('projects:write') && project.archived_at === null
  return (
    <div className="grid">
      <ProjectMonth project={project} />
      <div className="grid two even">
        {may('keys:read') && <ProjectKeys project={project} />}
        <div className="grid">
          {mayChange ? <Settings project={project} /> : null}
          <Card title={words.title}>
            <dl className="facts card-body">
              <dt>{words.id}</dt>
              <dd>
                <Copy value={project.id} what={words.id} />
              </dd>
              <dt>{words.created}</dt>
              <dd>
                <Instant time={project.created_at} />
              </dd>
            </dl>
          </Card>
          {mayChange && (
            <Card title={words.archiveCard}>
              <div className="card-body form-foot">
                <p className="grow ink-2">{words.archiveText}</p>
                <Button look="danger-quiet" onClick={() => setArchiving(true)}>
                  <Archive size={16} aria-hidden /> {words.archive}
                </Button>
              </div>
            </Card>
          )}
        </div>
      </div>
      {archiving && <ArchiveProject project={project} onClose={() => setArchiving(false)} />}
    </div>
  )
}

function Settings({ project }: { readonly project: Project }) {
  const { path } = useOrganization()
  const currency = useCurrency()
  const [fields, setFields] = useState(() => fieldsOf(project))
  const change = useChange('PATCH /organizations/{organization}/projects/{project}', [
    'GET /organizations/{organization}/projects',
    'GET /organizations/{organization}/projects/{project}',
  ])
  const { error } = change
  const known = fieldsOf(project)
  const isSame = known.name === fields.name && known.limit === fields.limit
  return (
    <Card title={words.settings}>
      <form
        className="card-body form"
        onSubmit={(event) => {
          event.preventDefault()
          change.mutate(
            {
              path: { ...path, project: project.id },
              body: { name: fields.name.trim(), spending_limit: limitOf(fields) },
            },
            {
              onSuccess: (changed) => {
                setFields(fieldsOf(changed))
                say(words.saved)
              },
            },
          )
        }}
      >
        {error !== null && !isAtField(error, PROJECT_FIELDS) && <FaultNote fault={error} />}
        <ProjectFieldset value={fields} onChange={setFields} fault={error} currency={currency} />
        <div className="form-foot">
          <Button look="primary" type="submit" busy={change.isPending} disabled={isSame}>
            {everywhere.save}
          </Button>
        </div>
      </form>
    </Card>
  )
}
