import type { Overview } from '../../api/routes.ts'
import { useApi } from '../../api/use-api.ts'
import { useLiveLimits } from '../../api/use-live-limits.ts'
import { Meters, NO_BREAK_SPACE, type MeterName } from '../../parts/meter.tsx'
import { Page } from '../../parts/page.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { limits as words } from '../../words/limits.ts'
import { AskForMore } from './ask-for-more.tsx'
import { BusiestKeys } from './busiest-keys.tsx'
import { Refused } from './refused.tsx'
import styles from './limits.module.css'

export function LimitsPage() {
  const { name, path } = useOrganization()
  const now = useLiveLimits()
  const overview = useApi('GET /organizations/{organization}/overview', { path }).data
  const plan = overview?.plan
  return (
    <Page title={words.title} sub={words.sub(name)}>
      <Meters now={now} className={styles.large} source={(limit) => sourceOf(plan, limit)} />
      <div className="grid cols-main">
        <Refused now={now} />
        <div className="stack gap-4">
          <BusiestKeys />
          <AskForMore now={now} plan={plan?.name ?? ''} />
        </div>
      </div>
    </Page>
  )
}

function sourceOf(plan: Overview['plan'] | undefined, limit: MeterName): string {
  if (plan === undefined) return NO_BREAK_SPACE
  return plan.overridden.includes(limit) ? words.overridden : words.fromPlan(plan.name)
}
