import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { SsoConnection } from '../../api/routes.ts'
import { useApi, useChange } from '../../api/use-api.ts'
import { Ask } from '../../parts/ask.tsx'
import { Button } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Card } from '../../parts/page.tsx'
import { FaultNote, Loaded } from '../../parts/states.tsx'
import { say } from '../../parts/toast.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { useProvider } from '../../shell/use-provider.ts'
import { roles } from '../../words/roles.ts'
import { connections as words } from '../../words/sign-in-rules.ts'
import { ConnectionDialog } from './connection-dialog.tsx'
import styles from './settings.module.css'

const LIST = 'GET /organizations/{organization}/sso-connections'

/** The identity providers of the organization. */
export function Connections() {
  const { path, may } = useOrganization()
  const [open, setOpen] = useState<'new' | SsoConnection | null>(null)
  const reading = useApi(LIST, { path }, { freshFor: Infinity })
  const add = may('sign-in:write') && (
    <Button size="sm" onClick={() => setOpen('new')}>
      <Plus size={14} aria-hidden /> {words.add}
    </Button>
  )
  return (
    <Card title={words.card} end={add}>
      <Loaded reading={reading} what={words.card}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="card-body ink-3">
              {words.none} {words.noneText}
            </p>
          ) : (
            data.map((connection) => (
              <Connection
                key={connection.id}
                connection={connection}
                onEdit={() => setOpen(connection)}
              />
            ))
          )
        }
      </Loaded>
      {open !== null && (
        <ConnectionDialog connection={open === 'new' ? null : open} onClose={() => setOpen(null)} />
      )}
    </Card>
  )
}

function Connection({
  connection,
  onEdit,
}: {
  readonly connection: SsoConnection
  readonly onEdit: () => void
}) {
  const { path, slug, may } = useOrganization()
  const [removing, setRemoving] = useState(false)
  const remove = useChange('DELETE /organizations/{organization}/sso-connections/{connection}', [
    LIST,
  ])
  const provider = useProvider()
  const { id, name } = connection
  const to = `/o/${slug}/settings/sign-in`
  return (
    <section className={styles.provider} aria-label={name}>
      <div className="form-foot">
        <h3 className="grow h2">{name}</h3>
        <Button
          size="sm"
          title={words.testHint(name)}
          busy={provider.busy}
          onClick={() => provider.goTo(id, { confirm: true, to })}
        >
          {words.test}
        </Button>
        {may('sign-in:write') && (
          <>
            <Button size="sm" onClick={onEdit}>
              {words.edit}
            </Button>
            <Button size="sm" look="danger-quiet" onClick={() => setRemoving(true)}>
              {words.remove}
            </Button>
          </>
        )}
      </div>
      {provider.fault !== null && <FaultNote fault={provider.fault} />}
      <ConnectionFacts connection={connection} />
      {removing && (
        <Ask
          title={words.removeTitle(name)}
          text={words.removeText}
          button={words.remove}
          fault={remove.error}
          busy={remove.isPending}
          onClose={() => setRemoving(false)}
          onConfirm={() =>
            remove.mutate(
              { path: { ...path, connection: id } },
              {
                onSuccess: () => {
                  setRemoving(false)
                  say(words.removed(name))
                },
              },
            )
          }
        />
      )}
    </section>
  )
}

function ConnectionFacts({ connection }: { readonly connection: SsoConnection }) {
  return (
    <dl className="facts">
      <dt>{words.redirect}</dt>
      <dd>
        <Copy value={connection.redirect_uri} what={words.redirect} />
        <span className="hint block">{words.redirectHint}</span>
      </dd>
      <dt>{words.logout}</dt>
      <dd>
        <Copy value={connection.backchannel_logout_uri} what={words.logout} />
        <span className="hint block">{words.logoutHint}</span>
      </dd>
      <dt>{words.issuer}</dt>
      <dd>{connection.issuer}</dd>
      <dt>{words.clientId}</dt>
      <dd>
        <code>{connection.client_id}</code>
      </dd>
      <dt>{words.role}</dt>
      <dd>{roles.names[connection.default_role]}</dd>
    </dl>
  )
}
