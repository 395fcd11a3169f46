import { useState } from 'react'
import { useApi } from '../../../api/use-api.ts'
import { Button } from '../../../parts/button.tsx'
import { Checklist, Step } from '../../../parts/checklist.tsx'
import { Card } from '../../../parts/page.tsx'
import { useOwnOrganizations } from '../../../shell/organization.tsx'
import { useMe } from '../../../shell/session.ts'
import { operatorSetup as words } from '../../../words/operator-setup.ts'
import { mergeEngines } from '../engines/merge-engines.ts'
import { useEngines } from '../engines/use-engines.ts'
import { AccessStep, OperatorsStep, TestStep } from './access-steps.tsx'
import { EngineStep, ModelStep } from './engine-steps.tsx'
import { findSteps, STEPS, type Facts, type StepName } from './find-steps.ts'

const HIDDEN = 'headrace.setup-hidden'
const REQUEST_MS = 2_000
/** Enough to tell whether there is a second one. */
const OPERATORS_READ = 2

/** From an empty installation to one that others can use, until all is done or it is hidden. */
export function SetupCard() {
  const [isHidden, setHidden] = useState(() => localStorage.getItem(HIDDEN) !== null)
  const role = useMe().data?.platform_role
  if (isHidden || role !== 'operator') return null
  return (
    <Setup
      onHide={() => {
        localStorage.setItem(HIDDEN, '1')
        setHidden(true)
      }}
    />
  )
}

function Setup({ onHide }: { readonly onHide: () => void }) {
  const facts = useFacts()
  if (facts === undefined) return null
  const done = findSteps(facts)
  if (STEPS.every((name) => done[name])) return null
  const now = STEPS.find((name) => !done[name])
  const stepOf = (name: StepName) => ({
    number: STEPS.indexOf(name) + 1,
    title: words[name],
    state: done[name] ? ('done' as const) : name === now ? ('now' as const) : ('later' as const),
  })
  return (
    <Card
      title={words.title}
      meta={words.sub}
      end={
        <Button size="sm" look="ghost" onClick={onHide}>
          {words.hide}
        </Button>
      }
    >
      <Checklist>
        <Step {...stepOf('engine')}>
          <EngineStep engines={facts.engines} isSeen={facts.isSeen} isDone={done.engine} />
        </Step>
        <Step {...stepOf('model')}>
          <ModelStep engines={facts.engines} />
        </Step>
        <Step {...stepOf('test')}>
          <TestStep slug={facts.slug} isDone={done.test} />
        </Step>
        <Step {...stepOf('access')}>
          <AccessStep settings={facts.settings} />
        </Step>
        <Step {...stepOf('operators')}>
          <OperatorsStep hasSecondFactor={facts.hasSecondFactor} operators={facts.operators} />
        </Step>
      </Checklist>
    </Card>
  )
}

/** Undefined until everything was read: a step that turns out to be done is not shown as open. */
function useFacts() {
  const me = useMe().data
  const engines = useEngines().data
  const configuration = useApi('GET /operator/configuration', {}, { freshFor: Infinity }).data
  const operators = useApi('GET /operator/accounts', {
    query: { platform_role: 'operator', limit: OPERATORS_READ },
  }).data
  const own = useOwnOrganizations().data
  const slug = own?.data[0]?.slug
  const requests = useApi(
    'GET /organizations/{organization}/requests',
    { path: { organization: own?.data[0]?.id ?? '' }, query: { limit: 1 } },
    { enabled: slug !== undefined, every: REQUEST_MS },
  )
  const isUnread = slug !== undefined && requests.data === undefined && requests.error === null
  if (me === undefined || engines === undefined || configuration === undefined) return undefined
  if (operators === undefined || own === undefined || isUnread) return undefined
  return {
    engines: mergeEngines(engines.data, engines.orders, configuration.settings),
    isSeen: engines.data.length > 0,
    isTested: (requests.data?.data.length ?? 0) > 0,
    slug,
    settings: configuration.settings,
    hasSecondFactor: me.has_totp || me.has_passkey,
    operators: operators.data.length,
  } satisfies Facts & { readonly isSeen: boolean; readonly slug: string | undefined }
}
