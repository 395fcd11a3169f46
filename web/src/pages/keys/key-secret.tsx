import type { CreatedKey } from '../../api/routes.ts'
import { useApi } from '../../api/use-api.ts'
import { firstRequest } from '../../format/snippets.ts'
import { formatDate } from '../../format/time.ts'
import { Button } from '../../parts/button.tsx'
import { Snippets } from '../../parts/code.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../parts/dialog.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { everywhere } from '../../words/everywhere.ts'
import { keyDialogs as words } from '../../words/key-dialogs.ts'
import { usePeople } from './use-people.ts'
import styles from './keys.module.css'

/** The key, once. Only its button closes it: a stray Escape must not lose what is shown once. */
export function KeySecret({
  created,
  onClose,
}: {
  readonly created: CreatedKey
  readonly onClose: () => void
}) {
  const { path } = useOrganization()
  const plan = useApi('GET /organizations/{organization}/models', { path }).data?.data ?? []
  const model = created.models?.[0] ?? plan[0]?.id ?? 'MODEL'
  const env = { name: 'env', label: '.env', text: `HEADRACE_API_KEY=${created.key}` }
  return (
    <Dialog
      open
      wide
      keepOpen
      onClose={onClose}
      title={words.copyNow}
      description={words.copyNowText}
    >
      <DialogBody>
        <div className="field">
          <span className="label">{created.name}</span>
          <div className="secret" data-shows="secret">
            <code>{created.key}</code>
            <CopyButton value={created.key} what={words.theKey} label={words.copyKey} primary />
          </div>
        </div>
        <Facts created={created} planModels={plan.length} />
        <Snippets label={words.snippets} snippets={[env, ...firstRequest(model, created.key)]} />
      </DialogBody>
      <DialogFoot>
        <span className="hint grow">{words.worksFrom}</span>
        <Button onClick={onClose}>{everywhere.copiedIt}</Button>
      </DialogFoot>
    </Dialog>
  )
}

function Facts({
  created,
  planModels,
}: {
  readonly created: CreatedKey
  readonly planModels: number
}) {
  const { nameOf } = usePeople()
  const { models, expires_at: expires } = created
  const facts = [
    [words.project, created.project.name],
    [words.belongsTo, nameOf(created.created_by)],
    [words.ends, expires === null ? words.never : formatDate(expires)],
    [words.models, models === null ? words.allOfPlan : words.modelsOf(models.length, planModels)],
  ]
  return (
    <dl className={styles.keyFacts}>
      {facts.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
