import { useEffect, useLayoutEffect, useRef } from 'react'
import type { PlanModel } from '../../api/routes.ts'
import { Select } from '../../parts/field.tsx'
import { playground } from '../../words/playground.ts'
import { Answer } from './answer/answer.tsx'
import { sayDropped, type Actions } from './message-actions.tsx'
import { isActive, lastRun, type Column } from './columns.ts'
import type { Talk } from './talk.ts'
import { UserMessage } from './user-message.tsx'
import styles from './talk.module.css'

/** As close to its end as this, the thread follows an answer. */
const NEAR_END_PX = 80

/** One conversation with one model. Two stand side by side when models are compared. */
export function Thread({
  column,
  index,
  models,
  model,
  onModel,
  onBranch,
  running,
  talk,
  slug,
  organization,
}: {
  readonly column: Column
  readonly index: number
  readonly models: readonly PlanModel[]
  /** The model of this column, if there are two. */
  readonly model: PlanModel | undefined
  readonly onModel: (id: string) => void
  /** Opens the second column, if there is one only. */
  readonly onBranch: (() => void) | undefined
  readonly running: boolean
  readonly talk: Talk
  readonly slug: string
  readonly organization: string
}) {
  const box = useRef<HTMLDivElement>(null)
  const actions = actionsOf(talk, index, onBranch)
  useFollowEnd(box, column)
  return (
    <div className={styles.column}>
      {model !== undefined && (
        <div className={styles.threadModel}>
          <Select
            hideLabel
            label={index === 0 ? playground.setup.model : playground.setup.secondModel}
            value={model.id}
            options={models.map(({ id }) => ({ value: id, label: id }))}
            onChange={onModel}
          />
        </div>
      )}
      <div
        ref={box}
        className={styles.thread}
        role="region"
        tabIndex={0}
        aria-label={model?.id ?? playground.talk}
      >
        {column.map((entry, at) =>
          entry.kind === 'user' ? (
            <UserMessage key={entry.id} entry={entry} actions={actions} disabled={running} />
          ) : (
            <Answer
              key={entry.id}
              entry={entry}
              model={models.find(({ id }) => id === entry.run.body.model)}
              slug={slug}
              organization={organization}
              isLast={at === column.length - 1}
              running={running}
              actions={actions}
              onAgain={() => talk.again(index)}
              onResults={(id, results) => talk.answerCalls(index, id, results)}
            />
          ),
        )}
      </div>
    </div>
  )
}

function actionsOf(talk: Talk, index: number, onBranch: (() => void) | undefined): Actions {
  const said = playground.actions
  return {
    regenerate: (id) => sayDropped(said.regenerated, talk.regenerate(index, id)),
    edit: (id, text) => sayDropped(said.edited, talk.edit(index, id, text)),
    remove: (id) => sayDropped(said.removed, talk.remove(index, id)),
    branch: (id) => {
      const undo = talk.branch(index, id)
      if (onBranch === undefined) sayDropped(said.branched, undo)
      else onBranch()
    },
  }
}

/** Stays at the end while an answer grows, unless somebody scrolled up to read. */
function useFollowEnd(box: React.RefObject<HTMLDivElement | null>, column: Column): void {
  const follows = useRef(true)
  const run = lastRun(column)
  useLayoutEffect(() => {
    follows.current = true
    scrollToEnd(box.current)
  }, [box, column.length])
  useEffect(() => {
    const place = box.current
    if (place === null || run === undefined) return
    const onScroll = () => {
      const { scrollHeight, scrollTop, clientHeight } = place
      follows.current = scrollHeight - scrollTop - clientHeight < NEAR_END_PX
    }
    place.addEventListener('scroll', onScroll, { passive: true })
    // After this frame, when what arrived is drawn.
    const stop = run.subscribe(() => {
      if (follows.current) requestAnimationFrame(() => scrollToEnd(place))
    })
    if (isActive(run)) scrollToEnd(place)
    return () => {
      place.removeEventListener('scroll', onScroll)
      stop()
    }
  }, [box, run])
}

function scrollToEnd(place: HTMLElement | null): void {
  if (place !== null) place.scrollTop = place.scrollHeight
}
