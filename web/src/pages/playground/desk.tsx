import { useEffect, useLayoutEffect, useMemo, useSyncExternalStore } from 'react'
import type { Fault } from '../../api/fault.ts'
import { API_ROOT } from '../../api/place.ts'
import type { Money, PlanModel, Project } from '../../api/routes.ts'
import { useTitle } from '../../parts/page.tsx'
import { FaultNote } from '../../parts/states.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { playground } from '../../words/playground.ts'
import { Composer } from './composer.tsx'
import { mostOf } from './cost.ts'
import { Examples } from './examples.tsx'
import { Head } from './head.tsx'
import type { Pair } from './probe/comparison.tsx'
import { Probe } from './probe/probe.tsx'
import { route } from './route.ts'
import type { PlaygroundSearch } from './search.ts'
import { chatBodyOf, type Message } from './setup/chat-body.ts'
import { findInvalid } from './setup/parameters.ts'
import { readSchema, readTool } from './setup/read-json.ts'
import { Setup } from './setup/setup.tsx'
import { credentialFor } from './stream/credential.ts'
import { isActive, lastRun, messagesOf, runsOf, type Column } from './columns.ts'
import { talkOf, type Talk } from './talk.ts'
import { Thread } from './thread.tsx'
import styles from './playground.module.css'
import talkStyles from './talk.module.css'

export type Change = (part: Partial<Record<keyof PlaygroundSearch, string | undefined>>) => void

type Props = {
  readonly account: string
  readonly models: readonly [PlanModel, ...PlanModel[]]
  readonly projects: readonly Project[]
  readonly project: Project
  readonly refusal: Fault | null
}

/** Settings, conversation, and what goes over the wire. */
export function Desk({ account, models, projects, project, refusal }: Props) {
  useTitle(playground.title)
  const { slug, name: organization } = useOrganization()
  const search = route.useSearch()
  const change = useChangeSearch()
  const talk = talkOf(account, slug)
  const state = useSyncExternalStore(talk.subscribe, () => talk.state)
  useLinkedTexts(talk, search, change)
  const model = models.find(({ id }) => id === search.model) ?? models[0]
  const second = models.find(({ id }) => id === search.compare)
  const chosen = second === undefined ? [model] : [model, second]
  const bodyOf = (column: number, messages: readonly Message[]) =>
    chatBodyOf((chosen[column] ?? model).id, search, talk.state, messages)
  useLayoutEffect(() => {
    const path = { organization: slug, project: project.id }
    const target = { root: API_ROOT, credential: (renew: boolean) => credentialFor(path, renew) }
    talk.prepare({ bodyOf, target, columns: second === undefined ? 1 : 2 })
  })
  const shown = state.columns.slice(0, chosen.length)
  const running = shown.some((column) => isActive(lastRun(column)))
  const runs = newestFirst(shown)
  const next = bodyOf(0, nextMessages(shown[0], state.draft))
  const pending = (index: number) =>
    (running ? lastRun(shown[index])?.body : undefined) ??
    bodyOf(index, nextMessages(shown[index], state.draft))
  const invalid = findInvalid(search)
  return (
    <div className={second === undefined ? styles.pg : `${styles.pg} ${styles.compared}`}>
      <Head
        project={project}
        projects={projects}
        search={search}
        onChange={change}
        talk={talk}
        state={state}
        models={models}
        model={model}
      />
      <Setup {...{ search, models, model, second, talk, state }} onChange={change} />
      <div className={talkStyles.talk}>
        {refusal !== null && <FaultNote fault={refusal} />}
        <Threads
          {...{ shown, chosen, talk, slug, organization, models, running }}
          onChange={change}
        />
        <Composer
          talk={talk}
          state={state}
          running={running}
          most={sumOf(chosen.map((each, index) => mostOf(pending(index), each)))}
          problem={invalid === undefined ? undefined : playground.composer.invalid(invalid)}
          waitsForResults={!running && shown.some(waitsForResults)}
        />
      </div>
      <Probe
        runs={runs}
        pair={second === undefined ? undefined : pairOf(shown)}
        models={models}
        next={next}
        slug={slug}
        tab={search.tab ?? 'timeline'}
        onTab={(tab) => change({ tab: tab === 'timeline' ? undefined : tab })}
      />
    </div>
  )
}

/** The conversation, or both of them side by side; before the first message, examples. */
function Threads({
  shown,
  chosen,
  talk,
  onChange,
  ...rest
}: {
  readonly shown: readonly Column[]
  readonly chosen: readonly PlanModel[]
  readonly talk: Talk
  readonly onChange: Change
  readonly slug: string
  readonly organization: string
  readonly models: readonly PlanModel[]
  readonly running: boolean
}) {
  if (shown.every((column) => column.length === 0))
    return <Examples talk={talk} onChange={onChange} />
  const isAlone = chosen.length === 1
  return (
    <div className={isAlone ? talkStyles.threads : `${talkStyles.threads} ${talkStyles.both}`}>
      {shown.map((column, index) => (
        <Thread
          key={index}
          {...{ column, index, talk, ...rest }}
          model={isAlone ? undefined : chosen[index]}
          onBranch={isAlone ? () => onChange({ compare: chosen[0]?.id }) : undefined}
          onModel={(id) => onChange(index === 0 ? { model: id } : { compare: id })}
        />
      ))}
    </div>
  )
}

function useChangeSearch(): Change {
  const navigate = route.useNavigate()
  return useMemo<Change>(
    () => (part) => {
      void navigate({
        search: (last) => ({ ...last, ...part }) as PlaygroundSearch,
        replace: true,
      })
    },
    [navigate],
  )
}

/** Takes tools and schema over from a link, and out of the address. */
function useLinkedTexts(talk: Talk, { tools, schema }: PlaygroundSearch, change: Change): void {
  useEffect(() => {
    if (tools === undefined && schema === undefined) return
    const linked = parseList(tools).flatMap((each) => readTool(JSON.stringify(each)).value ?? [])
    const format = schema === undefined ? undefined : readSchema(schema).value
    talk.change({
      ...(linked.length > 0 && { tools: linked }),
      ...(format !== undefined && { schema: format }),
    })
    change({ tools: undefined, schema: undefined })
  }, [talk, tools, schema, change])
}

function parseList(text: string | undefined): unknown[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

function newestFirst(columns: readonly Column[]) {
  // Columns share what was said before they were two.
  return [...new Set(columns.flatMap(runsOf))].toSorted((one, other) => other.id - one.id)
}

/** The newest requests of two columns, unless both have the same one. */
function pairOf([one, two]: readonly Column[]): Pair | undefined {
  const [left, right] = [lastRun(one), lastRun(two)]
  if (left === undefined || right === undefined || left === right) return undefined
  return [left, right]
}

function nextMessages(column: Column | undefined, draft: string): Message[] {
  const before = messagesOf(column ?? [])
  return draft.trim() === '' && before.length > 0
    ? before
    : [...before, { role: 'user', content: draft }]
}

function waitsForResults(column: Column): boolean {
  const last = column.at(-1)
  if (last?.kind !== 'answer' || last.results !== null) return false
  return last.run.state === 'complete' && last.run.reply.calls.length > 0
}

/** Null if all of it is free of charge. */
function sumOf(sums: readonly (Money | null)[]): Money | null {
  const priced = sums.filter((money) => money !== null)
  const [first] = priced
  if (first === undefined) return null
  return { ...first, amount_micro: priced.reduce((sum, money) => sum + money.amount_micro, 0) }
}
