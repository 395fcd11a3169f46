import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { Card } from '../../parts/page.tsx'
import { RefusalList } from '../../parts/refusal-list.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { overview as words } from '../../words/overview.ts'

export function RefusalsCard() {
  const { slug } = useOrganization()
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
      <RefusalList title={words.refusals} none={words.noRefusals} />
    </Card>
  )
}
