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
import { copyLink } from '../../parts/copy-text.ts'
import { Menu, MenuItem } from '../../parts/menu.tsx'
import { Name } from '../../parts/name.tsx'
import { rememberProject } from '../../shell/last-used.ts'
import { useOrganization } from '../../shell/organization.tsx'
import { stringifySearch } from '../../shell/search.ts'
import { playground } from '../../words/playground.ts'
import type { Change } from './desk.tsx'
import { sayDropped } from './message-actions.tsx'
import { OpenButton } from './saved/open-button.tsx'
import type { Opened } from './saved/read-saved.ts'
import { saveConversation } from './saved/save-conversation.ts'
import type { PlaygroundSearch } from './search.ts'
import { openSettings } from './setup/setup.tsx'
import { isEmpty, type Talk, type TalkState } from './talk.ts'
import styles from './playground.module.css'

/** Longer links are cut by servers and chat programs. */
const LINK_LENGTH_MAX = 8_000

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
  const { slug } = useOrganization()
  const other = models.find(({ id }) => id !== model.id) ?? model
  const compare = () => {
    if (search.compare !== undefined) return onChange({ compare: undefined })
    // Both go on from the same conversation.
    const [column] = talk.state.columns
    talk.change({ columns: [column, column] })
    onChange({ compare: other.id })
  }
  const choose = (id: string) => {
    rememberProject(slug, id)
    onChange({ project: id })
  }
  const open = ({ search: settings, texts, columns }: Opened) => {
    const nothing = Object.fromEntries(Object.keys(search).map((name) => [name, undefined]))
    const { project: chosen, tab } = search
    const hadTalk = !isEmpty(talk.state)
    const undo = talk.open(columns, texts)
    onChange({ ...nothing, ...settings, project: chosen, tab })
    if (hadTalk) sayDropped(playground.file.opened, undo)
  }
  return (
    <header className={styles.pgHead}>
      <h1>{playground.title}</h1>
      <Menu
        align="start"
        className="chip"
        trigger={
          <>
            {playground.project}{' '}
            <b>
              <Name value={project.name} />
            </b>
            <ChevronDown size={14} aria-hidden />
          </>
        }
      >
        {projects.map(({ id, name }) => (
          <MenuItem key={id} checked={id === project.id} onSelect={() => choose(id)}>
            <Name value={name} />
          </MenuItem>
        ))}
      </Menu>
      <RetentionChip />
      <span className={`push row ${styles.headActions}`}>
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
          <Button look="ghost" onClick={() => copySettings(search, state)}>
            <Link2 size={14} aria-hidden /> {playground.copyLink}
          </Button>
        </span>
        <OpenButton onOpen={open} />
        <Button onClick={() => saveConversation(search, state)}>
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
function copySettings(search: PlaygroundSearch, { tools, schema }: TalkState): void {
  const linkTo = (more: object) => {
    const { tab: _tab, project: _project, ...settings } = search
    return `${location.origin}${location.pathname}${stringifySearch({ ...settings, ...more })}`
  }
  const whole = linkTo({
    ...(tools.length > 0 && { tools: JSON.stringify(tools) }),
    ...(schema !== null && search.format === 'json_schema' && { schema: JSON.stringify(schema) }),
  })
  const fits = whole.length <= LINK_LENGTH_MAX
  void copyLink(fits ? whole : linkTo({}), fits ? playground.linkCopied : playground.linkTooLong)
}
