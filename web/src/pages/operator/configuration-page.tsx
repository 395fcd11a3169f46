import { useApi } from '../../api/use-api.ts'
import { Code } from '../../parts/code.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { Loaded } from '../../parts/states.tsx'
import { operatorService } from '../../words/operator-service.ts'
import { ProcessTable } from './process-table.tsx'
import { settingsText } from './settings-text.ts'
import styles from './operator.module.css'

const words = operatorService.configuration

/** Shown, not edited: the file is the truth, and every process reads it at its start. */
export function ConfigurationPage() {
  const reading = useApi('GET /operator/configuration', {})
  return (
    <Page title={words.title} sub={words.sub}>
      <div className={styles.stacked}>
        <Card title={words.fingerprints} foot={words.fingerprintsText}>
          <ProcessTable />
        </Card>
        <Loaded reading={reading} what={words.what}>
          {({ settings, fingerprint }) => (
            <Card
              title={words.settings}
              foot={<Copy value={fingerprint} what={words.fingerprint} />}
            >
              <div className="card-body">
                <Code text={settingsText(settings)} what={words.file} />
              </div>
            </Card>
          )}
        </Loaded>
      </div>
    </Page>
  )
}
