import { Link } from '@tanstack/react-router'
import type { RequestDetail } from '../../api/routes.ts'
import { Slots } from '../../parts/slots.tsx'
import { request as words } from '../../words/request.ts'
import type { FactRow } from './request-explanation.tsx'
import { TraceLink } from './trace-link.tsx'
import styles from './requests.module.css'

/** Who sent a request, for members of its organization. */
export function SentBy({
  request: { key, project },
  slug,
}: {
  readonly request: RequestDetail
  readonly slug: string
}) {
  const { steps } = words
  const name = key.name ?? key.id
  const parts = {
    name:
      key.kind === 'api_key' ? (
        <Link className="link" to="/o/$slug/keys/$key" params={{ slug, key: key.id }}>
          {name}
        </Link>
      ) : (
        <span className={styles.ink}>{name}</span>
      ),
    project: <span className={styles.ink}>{project.name ?? project.id}</span>,
  }
  return <Slots text={key.kind === 'playground' ? steps.byPlayground : steps.byKey} parts={parts} />
}

/** What members see besides the explanation. */
export function factsOf({ project, key, trace_url: traceUrl }: RequestDetail): readonly FactRow[] {
  const { facts } = words
  return [
    [facts.project, project.name ?? project.id],
    [facts.key, key.kind === 'playground' ? facts.playground : (key.name ?? key.id)],
    ...(traceUrl === null
      ? []
      : ([
          [facts.trace, <TraceLink key="trace" url={traceUrl} text={facts.openTrace} />],
        ] as const)),
  ]
}
