import {
  ChevronDown,
  Columns2,
  Download,
  Link2,
  ShieldCheck,
  SlidersHorizontal,
} from 'lucide-react'
import type { PlanModel, Project } from '../../api/routes.ts'
import { useApi } from '../../api/use-api.ts'
import { Button } from '../../parts/button.tsx'
import { Menu, MenuItem } from '../../parts/menu.tsx'
import { say } from '../../parts/toast.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { stringifySearch } from '../../shell/search.ts'
import { playground } from '../../words/playground.ts'
import type { Change } from './desk.tsx'
import { saveFile } from './save-file.ts'
import type { PlaygroundSearch } from './search.ts'
import { openSettings } from './setup/setup.tsx'
import { messagesOf, runsOf, type Talk, type TalkState } from './talk.ts'
import styles from './playground.module.css'

/** Longer links are cut by servers and chat programs. */
const LINK_LENGTH_MAX = 8_000
const INDENT = 2

type Props = {
  readonly project: Project
  readonly projects: readonly Project[]
  readonly search: PlaygroundSearch
  readonly onChange: Change
  readonly talk: Talk
  readonly state: TalkState
  readonly models: readonly PlanModel[]
  readonly model: PlanModel
}

export function Head({ project, projects, search, onChange, talk, state, models, model }: Props) {
  const other = models.find(({ id }) => id !== model.id) ?? model
  const compare = () => {
    if (search.compare !== undefined) return onChange({ compare: undefined })
    // Both go on from the same conversation.
    const [column] = talk.state.columns
    talk.change({ columns: [column, column] })
    onChange({ compare: other.id })
  }
  return (
    <header className={styles.pgHead}>
      <h1>{playground.title}</h1>
      <Menu
        align="start"
        className="chip"
        trigger={
          <>
            {playground.project} <b>{project.name}</b>
            <ChevronDown size={14} aria-hidden />
          </>
        }
      >
        {projects.map(({ id, name }) => (
          <MenuItem key={id} checked={id === project.id} onSelect={() => onChange({ project: id })}>
            {name}
          </MenuItem>
        ))}
      </Menu>
      <RetentionChip />
      <span className="push row">
        <span className={styles.onlyDrawer}>
          <Button onClick={openSettings}>
            <SlidersHorizontal size={14} aria-hidden /> {playground.settings}
          </Button>
        </span>
        <Button look="ghost" aria-pressed={search.compare !== undefined} onClick={compare}>
          <Columns2 size={14} aria-hidden />{' '}
          {search.compare === undefined ? playground.compare : playground.stopComparing}
        </Button>
        <span className={styles.optional}>
          <Button look="ghost" onClick={() => copyLink(search, state)}>
            <Link2 size={14} aria-hidden /> {playground.copyLink}
          </Button>
        </span>
        <Button onClick={() => saveTalk(search, state)}>
          <Download size={14} aria-hidden /> {playground.saveFile}
        </Button>
      </span>
    </header>
  )
}

/** What is kept of the content of requests, as the organization chose. */
function RetentionChip() {
  const { path } = useOrganization()
  const { data } = useApi('GET /organizations/{organization}', { path })
  if (data === undefined) return null
  const [name, text] = playground.retention[data.retention]
  return (
    <span className={`chip ${styles.fixed}`}>
      <ShieldCheck size={14} aria-hidden />
      <span>
        {playground.retentionName} <b>{name}</b>: {text}
      </span>
    </span>
  )
}

/** The settings without messages. */
function copyLink(search: PlaygroundSearch, { tools, schema }: TalkState): void {
  const linkTo = (more: object) => {
    const { tab: _tab, project: _project, ...settings } = search
    return `${location.origin}${location.pathname}${stringifySearch({ ...settings, ...more })}`
  }
  const whole = linkTo({
    ...(tools.length > 0 && { tools: JSON.stringify(tools) }),
    ...(schema !== null && search.format === 'json_schema' && { schema: JSON.stringify(schema) }),
  })
  const fits = whole.length <= LINK_LENGTH_MAX
  void navigator.clipboard
    .writeText(fits ? whole : linkTo({}))
    .then(() => say(fits ? playground.linkCopied : playground.linkTooLong))
}

function saveTalk(search: PlaygroundSearch, { columns, system, tools, schema }: TalkState): void {
  const conversations = columns
    .filter((column) => column.length > 0)
    .map((column) => ({
      messages: messagesOf(column),
      requests: runsOf(column).map(({ requestId, body: { model }, status, state, reply }) => ({
        id: requestId,
        model,
        status,
        state,
        finish_reason: reply.finish,
        usage: reply.usage,
      })),
    }))
  const saved = { settings: { ...search, system, tools, schema }, conversations }
  saveFile('conversation.json', `${JSON.stringify(saved, null, INDENT)}\n`)
}
