import { Card, Page } from '../../../parts/page.tsx'
import { operatorEngines as words } from '../../../words/operator-engines.ts'
import { EngineTable } from './engine-table.tsx'
import { ProcessTable } from '../process-table.tsx'
import { Queues } from './queue-table.tsx'
import styles from './engines.module.css'

/** Engines and queues as all API processes see them, and the processes. */
export function EnginesPage() {
  return (
    <Page title={words.title} sub={words.sub}>
      <EngineTable />
      <Queues />
      <Card title={words.processes} className={styles.below}>
        <ProcessTable />
      </Card>
    </Page>
  )
}
