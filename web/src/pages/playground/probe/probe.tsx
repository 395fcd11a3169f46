import type { PlanModel } from '../../../api/routes.ts'
import { formatCount } from '../../../format/number.ts'
import { Tabs } from '../../../parts/tabs.tsx'
import { playground } from '../../../words/playground.ts'
import { TABS, type ProbeTab } from '../search.ts'
import type { ChatBody } from '../setup/chat-body.ts'
import type { Run } from '../stream/run.ts'
import { useRunSlowly } from '../use-run.ts'
import type { Pair } from './comparison.tsx'
import { CodePane } from './code-pane.tsx'
import { EventsPane } from './events-pane.tsx'
import { HeadersPane } from './headers-pane.tsx'
import { TimelinePane } from './timeline-pane.tsx'
import styles from './probe.module.css'

/** What goes over the wire: the newest request, and the timelines of those before it. */
export function Probe({
  runs,
  pair,
  models,
  next,
  tab,
  onTab,
  slug,
}: {
  /** Newest first. */
  readonly runs: readonly Run[]
  readonly pair: Pair | undefined
  readonly models: readonly PlanModel[]
  /** The request as it would be sent now. */
  readonly next: ChatBody
  readonly tab: ProbeTab
  readonly onTab: (tab: ProbeTab) => void
  readonly slug: string
}) {
  const [run] = runs
  useRunSlowly(run)
  // The other column may still be running when the newest request has ended.
  useRunSlowly(pair?.find((each) => each !== run))
  const label = (name: ProbeTab) => (
    <>
      {playground.tabs[name]}
      {name === 'events' && run !== undefined && (
        <span className="ink-3 num"> {formatCount(run.events.count)}</span>
      )}
    </>
  )
  return (
    <aside className={styles.probe} aria-label={playground.probe}>
      <Tabs
        label={playground.probe}
        chosen={tab}
        onChoose={onTab}
        panelClass={styles.probeBody}
        tabs={TABS.map((name) => ({
          name,
          label: label(name),
          content: <Pane {...{ name, runs, pair, models, next, slug }} />,
        }))}
      />
    </aside>
  )
}

function Pane({
  name,
  runs,
  pair,
  models,
  next,
  slug,
}: {
  readonly name: ProbeTab
  readonly runs: readonly Run[]
  readonly pair: Pair | undefined
  readonly models: readonly PlanModel[]
  readonly next: ChatBody
  readonly slug: string
}) {
  const [run] = runs
  if (name === 'code') return <CodePane body={run?.body ?? next} isNext={run === undefined} />
  if (run === undefined) return <p className={`${styles.pane} ink-3`}>{playground.nothingYet}</p>
  if (name === 'events') return <EventsPane key={run.id} run={run} />
  if (name === 'headers') return <HeadersPane run={run} />
  return <TimelinePane {...{ runs, pair, models, slug }} />
}
