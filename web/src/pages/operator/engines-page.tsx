import { Card, Page } from '../../parts/page.tsx'
import '../../styles/page-operator.css'
import { operator } from '../../words/operator.ts'
import { EngineTable } from './engine-table.tsx'
import { ProcessTable } from './process-table.tsx'

const words = operator.engines

export function EnginesPage() {
  return (
    <Page title={words.title} sub={words.sub}>
      <EngineTable />
      <Card title={words.processes} className="below">
        <ProcessTable />
      </Card>
    </Page>
  )
}
