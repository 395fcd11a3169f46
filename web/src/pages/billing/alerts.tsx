import { Check, Plus } from 'lucide-react'
import type { AlertTest, SpendingAlert } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { useList } from '../../api/use-list.ts'
import { formatMoney } from '../../format/number.ts'
import { formatDate } from '../../format/time.ts'
import { Ask } from '../../parts/ask.tsx'
import { Button } from '../../parts/button.tsx'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { Card } from '../../parts/page.tsx'
import { FaultNote, Skeleton } from '../../parts/states.tsx'
import { Tag } from '../../parts/tag.tsx'
import { say } from '../../parts/toast.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { alerts as words } from '../../words/billing.ts'
import { AlertDialog } from './alert-dialog.tsx'
import { ALERTS, scopeOf } from './alert-scope.ts'
import styles from './billing.module.css'

const ALERTS_READ = 100

/** Who is told when which amount of a month is spent. */
export function Alerts() {
  const { path, may } = useOrganization()
  const list = useList(ALERTS, { path, query: { limit: ALERTS_READ } })
  const { items, error } = list
  return (
    <Card
      title={words.card}
      meta={words.meta}
      end={
        may('billing:write') && (
          <DialogButton
            size="sm"
            dialog={(close) => <AlertDialog alert={null} known={items ?? []} onClose={close} />}
          >
            <Plus size={14} aria-hidden /> {words.add}
          </DialogButton>
        )
      }
    >
      {items === undefined &&
        (error === null ? (
          <Skeleton lines={1} />
        ) : (
          <FaultNote what={words.card} fault={error} retry={list.retry} />
        ))}
      {items?.length === 0 && (
        <p className="card-body ink-3">
          {words.none} {words.noneText}
        </p>
      )}
      <ul className="entries">
        {items?.map((alert) => (
          <Alert key={alert.project?.id ?? 'organization'} alert={alert} known={items} />
        ))}
      </ul>
    </Card>
  )
}

function Alert({
  alert,
  known,
}: {
  readonly alert: SpendingAlert
  readonly known: readonly SpendingAlert[]
}) {
  const { path, may } = useOrganization()
  const remove = useChange('PUT /organizations/{organization}/spending-alerts', [ALERTS])
  const channels = [
    ...alert.emails,
    ...(alert.webhook_url === null ? [] : [`${words.webhook} ${alert.webhook_url}`]),
  ]
  const test = useChange('POST /organizations/{organization}/spending-alerts/test', [])
  const sendTest = () =>
    test.mutate(
      { path, body: { project: alert.project?.id ?? null } },
      { onSuccess: (told) => say(toldText(told)) },
    )
  return (
    <li>
      <span className="cut">{scopeOf(alert)}</span>
      {may('billing:write') && (
        <span className="row tight">
          {channels.length > 0 && (
            <Button size="sm" busy={test.isPending} onClick={sendTest}>
              {words.test}
            </Button>
          )}
          <DialogButton
            size="sm"
            dialog={(close) => <AlertDialog alert={alert} known={known} onClose={close} />}
          >
            {words.change}
          </DialogButton>
          <DialogButton
            size="sm"
            look="danger-quiet"
            dialog={(close) => (
              <Ask
                title={words.removeTitle(scopeOf(alert))}
                text={words.removeText}
                button={words.remove}
                change={remove}
                input={{
                  path,
                  ifMatch: `"${alert.version}"`,
                  body: { project: alert.project?.id ?? null, thresholds: [] },
                }}
                done={words.removed}
                onClose={close}
              />
            )}
          >
            {words.remove}
          </DialogButton>
        </span>
      )}
      <Thresholds alert={alert} />
      {test.error !== null && <FaultNote fault={test.error} />}
      <span className="why">{channels.length === 0 ? words.noChannel : channels.join(', ')}</span>
    </li>
  )
}

function toldText({ webhook, emails }: AlertTest): string {
  const texts = [
    ...(webhook === null ? [] : [words.tested[webhook]]),
    ...(emails === 0 && webhook !== null ? [] : [words.testEmails(emails)]),
  ]
  return texts.join(' ')
}

function Thresholds({ alert }: { readonly alert: SpendingAlert }) {
  return (
    <span className={`row wrap ${styles.thresholds}`}>
      {alert.thresholds.map((threshold) => {
        const reached = alert.reached.find(
          (each) => each.threshold.amount_micro === threshold.amount_micro,
        )
        return reached === undefined ? (
          <Tag key={threshold.amount} tone="line">
            {formatMoney(threshold)}
          </Tag>
        ) : (
          <Tag key={threshold.amount} tone="warn">
            <Check size={12} aria-hidden /> {formatMoney(threshold)}{' '}
            {words.reachedAt(formatDate(reached.reached_at))}
          </Tag>
        )
      })}
    </span>
  )
}
