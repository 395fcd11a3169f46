import { Plus } from 'lucide-react'
import type { ScimToken } from '../../api/routes.ts'
import { useApi, useChange } from '../../api/use-api.ts'
import { Ask } from '../../parts/ask.tsx'
import { Copy } from '../../parts/copy.tsx'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { Card } from '../../parts/page.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Ago } from '../../parts/time.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { provisioning as words } from '../../words/sign-in-rules.ts'
import { CreateScimToken } from './create-scim-token.tsx'
import styles from './settings.module.css'

const LIST = 'GET /organizations/{organization}/scim-tokens'

/** What an identity provider needs to manage members by itself. */
export function Provisioning() {
  const { path, may } = useOrganization()
  const reading = useApi(LIST, { path }, { freshFor: Infinity })
  const settings = useApi(
    'GET /organizations/{organization}/scim',
    { path },
    { freshFor: Infinity },
  )
  const create = may('sign-in:write') && (
    <DialogButton size="sm" dialog={(close) => <CreateScimToken onClose={close} />}>
      <Plus size={14} aria-hidden /> {words.create}
    </DialogButton>
  )
  return (
    <Card title={words.card} end={create}>
      <div className="card-body form">
        <p className="ink-3">{words.text}</p>
        <Loaded reading={settings} what={words.baseUrl}>
          {({ base_url: baseUrl }) => (
            <dl className="facts">
              <dt>{words.baseUrl}</dt>
              <dd>
                <Copy value={baseUrl} what={words.baseUrl} />
              </dd>
            </dl>
          )}
        </Loaded>
      </div>
      <Loaded reading={reading} what={words.tokens}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="card-body ink-3">{words.none}</p>
          ) : (
            data.map((token) => <Token key={token.id} token={token} />)
          )
        }
      </Loaded>
    </Card>
  )
}

function Token({ token }: { readonly token: ScimToken }) {
  const { name, shown_as: shownAs, last_used_at: usedAt, revoked_at: revokedAt } = token
  return (
    <section className={styles.provider} aria-label={name}>
      <div className="form-foot">
        <h3 className="grow h2">{name}</h3>
        {revokedAt === null ? <Revoke token={token} /> : <Tag tone="line">{words.revoked}</Tag>}
      </div>
      <p className="ink-3">
        <code>{shownAs}</code>{' '}
        {usedAt === null ? (
          words.never
        ) : (
          <>
            {words.used} <Ago time={usedAt} />
          </>
        )}
      </p>
    </section>
  )
}

function Revoke({ token: { id, name } }: { readonly token: ScimToken }) {
  const { path, may } = useOrganization()
  const revoke = useChange('DELETE /organizations/{organization}/scim-tokens/{token}', [LIST])
  if (!may('sign-in:write')) return null
  return (
    <DialogButton
      size="sm"
      look="danger-quiet"
      dialog={(close) => (
        <Ask
          title={words.revokeTitle(name)}
          text={words.revokeText}
          button={words.revoke}
          change={revoke}
          input={{ path: { ...path, token: id } }}
          done={words.revokedNow(name)}
          onClose={close}
        />
      )}
    >
      {words.revoke}
    </DialogButton>
  )
}
