import { useState } from 'react'
import { useApi, useChange } from '../../api/use-api.ts'
import { Ask } from '../../parts/ask.tsx'
import { Button } from '../../parts/button.tsx'
import { TextArea } from '../../parts/field.tsx'
import { Card } from '../../parts/page.tsx'
import { Loaded } from '../../parts/states.tsx'
import { say } from '../../parts/toast.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { networks as words } from '../../words/sign-in-rules.ts'

const READ = 'GET /organizations/{organization}/allowed-networks'
const LINES_MIN = 3

/** The networks that members and keys may call from. */
export function AllowedNetworks() {
  const { path } = useOrganization()
  const reading = useApi(READ, { path }, { freshFor: Infinity })
  return (
    <Card title={words.card}>
      <Loaded reading={reading} what={words.card}>
        {({ networks }) => <NetworksForm key={networks.join()} networks={networks} />}
      </Loaded>
    </Card>
  )
}

function NetworksForm({ networks }: { readonly networks: readonly string[] }) {
  const { path, may } = useOrganization()
  const [text, setText] = useState(networks.join('\n'))
  const [asking, setAsking] = useState(false)
  const change = useChange('PUT /organizations/{organization}/allowed-networks', [READ])
  const wanted = text.split(/[\s,]+/).filter((line) => line !== '')
  const close = () => {
    setAsking(false)
    change.reset()
  }
  const onSuccess = () => {
    close()
    say(words.saved)
  }
  return (
    <form
      className="card-body form"
      onSubmit={(event) => {
        event.preventDefault()
        setAsking(true)
      }}
    >
      <p className="ink-3">{words.text}</p>
      <TextArea
        label={words.list}
        placeholder={words.placeholder}
        rows={Math.max(LINES_MIN, networks.length)}
        spellCheck={false}
        readOnly={!may('sign-in:write')}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {may('sign-in:write') && (
        <div className="form-foot">
          <Button look="primary" type="submit" disabled={wanted.join() === networks.join()}>
            {words.save}
          </Button>
        </div>
      )}
      {asking && (
        <Ask
          title={words.title}
          text={wanted.length === 0 ? words.lift : words.restrict}
          button={words.change}
          look="primary"
          fault={change.error}
          busy={change.isPending}
          onClose={close}
          onConfirm={() => change.mutate({ path, body: { networks: wanted } }, { onSuccess })}
        />
      )}
    </form>
  )
}
