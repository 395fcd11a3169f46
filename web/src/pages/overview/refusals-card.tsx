import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { useApi } from '../../api/use-api.ts'
import { Card } from '../../parts/page.tsx'
import { RefusalItem } from '../../parts/refusal-item.tsx'
import { Loaded } from '../../parts/states.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { overview as words } from '../../words/overview.ts'

const SHOWN = 3
const REFRESH_MS = 5_000

export function RefusalsCard() {
  const { path, slug } = useOrganization()
  const refusals = useApi(
    'GET /organizations/{organization}/requests',
    { path, query: { outcome: 'refused', limit: SHOWN } },
    { every: REFRESH_MS },
  )
  return (
    <Card
      title={words.refusals}
      end={
        <Link
          className="quiet-link xs"
          to="/o/$slug/requests"
          params={{ slug }}
          search={{ outcome: 'errors' }}
        >
          {words.all}
          <ChevronRight size={14} aria-hidden />
        </Link>
      }
    >
      <Loaded reading={refusals} what={words.refusals}>
        {({ data }) =>
          data.length === 0 ? (
            <div className="card-body ink-3">{words.noRefusals}</div>
          ) : (
            <ul className="list">
              {data.map((request) => (
                <RefusalItem key={request.id} request={request} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}
