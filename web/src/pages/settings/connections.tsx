import { Plus } from 'lucide-react'
import type { SsoConnection } from '../../api/routes.ts'
import { useApi, useChange } from '../../api/use-api.ts'
import { Ask } from '../../parts/ask.tsx'
import { Button } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { Card } from '../../parts/page.tsx'
import { FaultNote, Loaded } from '../../parts/states.tsx'
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
  const reading = useApi(LIST, { path }, { freshFor: Infinity })
  const add = may('sign-in:write') && (
    <DialogButton
      size="sm"
      dialog={(close) => <ConnectionDialog connection={null} onClose={close} />}
    >
      <Plus size={14} aria-hidden /> {words.add}
    </DialogButton>
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
            data.map((connection) => <Connection key={connection.id} connection={connection} />)
          )
        }
      </Loaded>
    </Card>
  )
}

function Connection({ connection }: { readonly connection: SsoConnection }) {
  const { path, slug, may } = useOrganization()
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
            <DialogButton
              size="sm"
              dialog={(close) => <ConnectionDialog connection={connection} onClose={close} />}
            >
              {words.edit}
            </DialogButton>
            <DialogButton
              size="sm"
              look="danger-quiet"
              dialog={(close) => (
                <Ask
                  title={words.removeTitle(name)}
                  text={words.removeText}
                  button={words.remove}
                  change={remove}
                  input={{ path: { ...path, connection: id } }}
                  done={words.removed(name)}
                  onClose={close}
                />
              )}
            >
              {words.remove}
            </DialogButton>
          </>
        )}
      </div>
      {provider.fault !== null && <FaultNote fault={provider.fault} />}
      <ConnectionFacts connection={connection} />
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
