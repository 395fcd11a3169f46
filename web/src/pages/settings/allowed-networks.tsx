import { useState } from 'react'
import { useApi, useChange } from '../../api/use-api.ts'
import { TextArea } from '../../parts/field.tsx'
import { Card } from '../../parts/page.tsx'
import { Loaded } from '../../parts/states.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { networks as words } from '../../words/sign-in-rules.ts'
import { AskedForm } from './asked-form.tsx'

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
  const change = useChange('PUT /organizations/{organization}/allowed-networks', [READ])
  const wanted = text.split(/[\s,]+/).filter((line) => line !== '')
  return (
    <AskedForm
      words={words}
      consequence={wanted.length === 0 ? words.lift : words.restrict}
      change={change}
      input={{ path, body: { networks: wanted } }}
      isSame={wanted.join() === networks.join()}
    >
      <TextArea
        label={words.list}
        placeholder={words.placeholder}
        rows={Math.max(LINES_MIN, networks.length)}
        spellCheck={false}
        readOnly={!may('sign-in:write')}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </AskedForm>
  )
}
