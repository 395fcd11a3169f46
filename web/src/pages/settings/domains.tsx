import { useState } from 'react'
import type { Domain } from '../../api/routes.ts'
import { useApi, useChange } from '../../api/use-api.ts'
import { Ask } from '../../parts/ask.tsx'
import { Button } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { TextField } from '../../parts/field.tsx'
import { Card } from '../../parts/page.tsx'
import { FaultNote, Loaded } from '../../parts/states.tsx'
import { Tag } from '../../parts/tag.tsx'
import { say } from '../../parts/toast.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { domains as words } from '../../words/sign-in-rules.ts'
import styles from './settings.module.css'

const LIST = 'GET /organizations/{organization}/domains'

/** Domains whose people are sent to the identity provider. */
export function Domains() {
  const { path, may } = useOrganization()
  const reading = useApi(LIST, { path }, { freshFor: Infinity })
  return (
    <Card title={words.card}>
      <p className="card-body ink-3">{words.text}</p>
      <Loaded reading={reading} what={words.card}>
        {({ data }) => (
          <ul className="entries">
            {data.map((domain) => (
              <OneDomain key={domain.id} domain={domain} />
            ))}
          </ul>
        )}
      </Loaded>
      {may('sign-in:write') && <AddDomain />}
    </Card>
  )
}

function AddDomain() {
  const { path } = useOrganization()
  const [domain, setDomain] = useState('')
  const add = useChange('POST /organizations/{organization}/domains', [LIST])
  return (
    <form
      className={`card-foot ${styles.addLine}`}
      onSubmit={(event) => {
        event.preventDefault()
        add.mutate(
          { path, body: { domain: domain.trim() } },
          {
            onSuccess: (added) => {
              setDomain('')
              say(words.added(added.domain))
            },
          },
        )
      }}
    >
      <TextField
        label={words.domain}
        hideLabel
        required
        placeholder={words.placeholder}
        value={domain}
        error={add.error?.message}
        onChange={(event) => setDomain(event.currentTarget.value)}
      />
      <Button type="submit" busy={add.isPending}>
        {words.add}
      </Button>
    </form>
  )
}

function OneDomain({ domain }: { readonly domain: Domain }) {
  const { path, may } = useOrganization()
  const at = { path: { ...path, domain: domain.id } }
  const verify = useChange('POST /organizations/{organization}/domains/{domain}/verify', [LIST])
  const remove = useChange('DELETE /organizations/{organization}/domains/{domain}', [LIST])
  const isVerified = domain.verified_at !== null
  const needsRecord = !isVerified || domain.misses > 0
  return (
    <li>
      <span className="cut">
        {domain.domain}{' '}
        {needsRecord ? (
          <Tag tone="warn">{isVerified ? words.missing : words.waiting}</Tag>
        ) : (
          <Tag tone="ok">{words.verified}</Tag>
        )}
      </span>
      {may('sign-in:write') && (
        <span className="row tight">
          {needsRecord && (
            <Button
              size="sm"
              busy={verify.isPending}
              onClick={() =>
                verify.mutate(at, { onSuccess: () => say(words.isVerified(domain.domain)) })
              }
            >
              {words.verify}
            </Button>
          )}
          <DialogButton
            size="sm"
            look="danger-quiet"
            dialog={(close) => (
              <Ask
                title={words.removeTitle(domain.domain)}
                text={words.removeText}
                button={words.remove}
                change={remove}
                input={at}
                done={words.removed(domain.domain)}
                onClose={close}
              />
            )}
          >
            {words.remove}
          </DialogButton>
        </span>
      )}
      {needsRecord && <DnsRecord record={domain.record} />}
      {verify.error !== null && <FaultNote fault={verify.error} />}
    </li>
  )
}

function DnsRecord({ record }: Pick<Domain, 'record'>) {
  return (
    <div className="why">
      {words.setRecord}
      <dl className={`facts ${styles.dns}`}>
        <dt>{words.recordName}</dt>
        <dd>
          <Copy value={record.name} what={words.recordName} />
        </dd>
        <dt>{words.recordType}</dt>
        <dd>
          <code>{record.type}</code>
        </dd>
        <dt>{words.recordValue}</dt>
        <dd>
          <Copy value={record.value} what={words.recordValue} />
        </dd>
      </dl>
    </div>
  )
}
