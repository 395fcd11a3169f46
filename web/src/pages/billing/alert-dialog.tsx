import { useState } from 'react'
import type { Fault } from '../../api/fault.ts'
import type { SpendingAlert } from '../../api/routes.ts'
import { useApi } from '../../api/use-api.ts'
import { useSecretChange } from '../../api/use-secret-change.ts'
import { Button } from '../../parts/button.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { ChipsField, splitChips } from '../../parts/chips-field.tsx'
import { Checkbox, errorAt, Select, TextField } from '../../parts/field.tsx'
import { SecretDialog } from '../../parts/secret-dialog.tsx'
import { say } from '../../parts/toast.tsx'
import { useOnce } from '../../parts/use-once.ts'
import { readAmount } from '../../format/amount.ts'
import { useCurrency } from '../../shell/currency.ts'
import { useOrganization } from '../../shell/organization.tsx'
import { alerts as words } from '../../words/billing.ts'
import { ALERTS, scopeOf } from './alert-scope.ts'
import { EmailsField, joinEmails, splitEmails } from './emails-field.tsx'
import { sharesOf } from './forecast.ts'

const PROJECTS_READ = 100
const FIELDS = ['thresholds', 'emails', 'webhook_url'] as const

type Fields = {
  readonly project: string
  readonly amounts: string
  readonly emails: string
  readonly webhook: string
  readonly newSecret: boolean
}

function fieldsOf(alert: SpendingAlert | null): Fields {
  return {
    project: alert?.project?.id ?? '',
    amounts: alert?.thresholds.map(({ amount }) => `${amount} `).join('') ?? '',
    emails: joinEmails(alert?.emails ?? []),
    webhook: alert?.webhook_url ?? '',
    newSecret: false,
  }
}

/** One alert: amounts, addresses and a webhook, whose secret is shown once. */
export function AlertDialog({
  alert,
  known,
  onClose,
}: {
  readonly alert: SpendingAlert | null
  readonly known: readonly SpendingAlert[]
  readonly onClose: () => void
}) {
  const { path } = useOrganization()
  const [fields, setFields] = useState(() => fieldsOf(alert))
  const saving = useSecretChange('PUT /organizations/{organization}/spending-alerts', [ALERTS])
  const secret = saving.answer?.webhook_secret ?? null
  useOnce(saving.answer !== null && secret === null, () => {
    say(words.saved)
    onClose()
  })
  if (secret !== null)
    return (
      <SecretDialog
        title={words.secretTitle}
        text={words.secretText}
        secret={secret}
        what={words.secret}
        onClose={onClose}
      />
    )
  const same = known.find((each) => (each.project?.id ?? '') === fields.project)
  const save = () =>
    saving.make({
      path,
      ifMatch: `"${same?.version ?? 0}"`,
      body: {
        project: fields.project === '' ? null : fields.project,
        thresholds: splitChips(fields.amounts).map(readAmount),
        emails: splitEmails(fields.emails),
        webhook_url: fields.webhook.trim() === '' ? null : fields.webhook.trim(),
        new_secret: fields.newSecret,
      },
    })
  return (
    <FormDialog
      onClose={onClose}
      title={alert === null ? words.addTitle : words.changeTitle(scopeOf(alert))}
      description={words.noneText}
      onSubmit={save}
      submit={words.save}
      busy={saving.busy}
      fault={saving.fault}
      fields={FIELDS}
    >
      {alert === null && (
        <Scope
          value={fields.project}
          onChange={(project) => setFields({ ...fields, project })}
          exists={same !== undefined}
        />
      )}
      <AlertFields fields={fields} onChange={setFields} fault={saving.fault} />
    </FormDialog>
  )
}

function Scope({
  value,
  onChange,
  exists,
}: {
  readonly value: string
  readonly onChange: (project: string) => void
  readonly exists: boolean
}) {
  const { path } = useOrganization()
  const projects = useApi('GET /organizations/{organization}/projects', {
    path,
    query: { limit: PROJECTS_READ },
  })
  const open = projects.data?.data.filter((project) => project.archived_at === null) ?? []
  return (
    <Select
      label={words.scope}
      value={value}
      hint={exists ? words.exists : undefined}
      options={[
        { value: '', label: words.organization },
        ...open.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      onChange={onChange}
    />
  )
}

function AlertFields({
  fields,
  onChange,
  fault,
}: {
  readonly fields: Fields
  readonly onChange: (fields: Fields) => void
  readonly fault: Fault | null
}) {
  const currency = useCurrency()
  const amounts = splitChips(fields.amounts).map((text) => Number(readAmount(text)))
  const highest = Math.max(0, ...amounts.filter(Number.isFinite))
  return (
    <>
      <ChipsField
        label={words.amounts}
        hint={words.amountsHint}
        required
        inputMode="decimal"
        value={fields.amounts}
        error={errorAt(fault, 'thresholds')}
        end={<span className="ink-3">{currency}</span>}
        onChange={(typed) => onChange({ ...fields, amounts: typed })}
      />
      {highest > 0 && (
        <div>
          <Button
            size="sm"
            onClick={() => onChange({ ...fields, amounts: `${sharesOf(highest).join(' ')} ` })}
          >
            {words.share(`${highest} ${currency}`)}
          </Button>
        </div>
      )}
      <EmailsField
        value={fields.emails}
        fault={fault}
        onChange={(typed) => onChange({ ...fields, emails: typed })}
      />
      <TextField
        label={words.webhookUrl}
        hint={words.webhookHint}
        optional
        type="url"
        value={fields.webhook}
        error={errorAt(fault, 'webhook_url')}
        onChange={(event) => onChange({ ...fields, webhook: event.currentTarget.value })}
      />
      {splitEmails(fields.emails).length === 0 && fields.webhook.trim() === '' && (
        <p className="strip warn" role="status">
          {words.nobodyTold}
        </p>
      )}
      {fields.webhook !== '' && (
        <Checkbox
          label={words.newSecret}
          checked={fields.newSecret}
          onChange={(event) => onChange({ ...fields, newSecret: event.currentTarget.checked })}
        />
      )}
    </>
  )
}
