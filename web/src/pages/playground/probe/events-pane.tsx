import { Download } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { formatCount } from '../../../format/number.ts'
import { IconButton } from '../../../parts/button.tsx'
import { saveFile } from '../../../parts/save-file.ts'
import { Segments } from '../../../parts/tabs.tsx'
import { playground } from '../../../words/playground.ts'
import type { StreamEvent } from '../stream/event-log.ts'
import type { Run } from '../stream/run.ts'
import { isActive } from '../columns.ts'
import { SWATCH, type LaneName } from './lane-colours.ts'
import { sizeText } from './size-text.ts'
import styles from './probe.module.css'

const words = playground.events
const ROW_PX = 28
const ROWS_AROUND = 10
const VIEW_PX = 900

type Look = 'pieces' | 'raw'

/** Every event with its time and size. Only the rows in view are elements of the page. */
export function EventsPane({ run }: { readonly run: Run }) {
  const [look, setLook] = useState<Look>('pieces')
  const { events, bytes } = run
  const save = () =>
    saveFile(
      `events-${run.requestId ?? run.id}.jsonl`,
      events.kept.map((event) => `${JSON.stringify(event)}\n`).join(''),
      'application/json',
    )
  return (
    <div className={`${styles.pane} ${styles.eventsPane}`}>
      <div className="row">
        <Segments
          label={words.view}
          chosen={look}
          onChoose={setLook}
          options={[
            { value: 'pieces', label: words.pieces },
            { value: 'raw', label: words.raw },
          ]}
        />
        <span className="ink-3 xs num">
          {words.sum(sizeText(bytes), sizeText(events.paddingBytes))}
        </span>
        <span className="push">
          <IconButton label={words.download} onClick={save}>
            <Download size={14} aria-hidden />
          </IconButton>
        </span>
      </div>
      {events.kept.length < events.count && (
        <p className="ink-3 xs">
          {words.bound(formatCount(events.kept.length), formatCount(events.count))}
        </p>
      )}
      {events.count === 0 ? (
        <p className="ink-3">{words.none}</p>
      ) : (
        <Rows events={events.kept} look={look} follow={isActive(run)} />
      )}
    </div>
  )
}

function Rows({
  events,
  look,
  follow,
}: {
  readonly events: readonly StreamEvent[]
  readonly look: Look
  readonly follow: boolean
}) {
  const box = useRef<HTMLDivElement>(null)
  const { top, height } = useWindow(box, events.length, follow)
  const from = Math.max(0, Math.floor(top / ROW_PX) - ROWS_AROUND)
  const to = Math.min(events.length, Math.ceil((top + height) / ROW_PX) + ROWS_AROUND)
  const columns = [words.time, words.kind, look === 'raw' ? words.data : words.piece, words.bytes]
  return (
    <div
      className={styles.eventsBox}
      ref={box}
      tabIndex={0}
      role="region"
      aria-label={words.caption}
    >
      <table className={styles.events} data-shows="events" aria-rowcount={events.length + 1}>
        <caption className="sr">{words.caption}</caption>
        <colgroup>
          <col className={styles.time} />
          <col className={styles.kind} />
          <col />
          <col className={styles.bytes} />
        </colgroup>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col" className={name === words.bytes ? 'end' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Space rows={from} />
          {events.slice(from, to).map((event, index) => (
            <Row key={from + index} event={event} look={look} />
          ))}
          <Space rows={events.length - to} />
        </tbody>
      </table>
    </div>
  )
}

function Space({ rows }: { readonly rows: number }) {
  if (rows === 0) return null
  return (
    <tr aria-hidden className={styles.space}>
      <td colSpan={4} style={{ height: rows * ROW_PX }} />
    </tr>
  )
}

const LANE_OF: Readonly<Partial<Record<StreamEvent['kind'], LaneName>>> = {
  reasoning: 'reasoning',
  text: 'text',
  tool: 'tool',
}

function Row({ event, look }: { readonly event: StreamEvent; readonly look: Look }) {
  return (
    <tr>
      <td className="num ink-3">+{formatCount(Math.round(event.at))}</td>
      <td>
        <i className={`swatch ${SWATCH[LANE_OF[event.kind] ?? 'waiting']}`} aria-hidden />{' '}
        {event.kind}
      </td>
      <td title={event.raw}>
        <span className={styles.clip}>
          {look === 'raw' ? event.raw : event.piece === '' ? '' : `“${event.piece}”`}
          {event.padding > 0 && <i className={styles.padding} aria-hidden />}
        </span>
      </td>
      <td className="num end">{formatCount(event.bytes)}</td>
    </tr>
  )
}

const NEAR_END_PX = 2 * ROW_PX

/** The part of the list in view; at its end the view follows new rows. */
function useWindow(box: React.RefObject<HTMLDivElement | null>, count: number, follow: boolean) {
  const [view, setView] = useState({ top: 0, height: VIEW_PX })
  const follows = useRef(follow)
  useEffect(() => {
    const place = box.current
    if (place === null) return
    const look = () => {
      const { scrollTop: top, clientHeight: height, scrollHeight } = place
      follows.current = scrollHeight - top - height < NEAR_END_PX
      setView((last) => (last.top === top && last.height === height ? last : { top, height }))
    }
    place.addEventListener('scroll', look, { passive: true })
    look()
    return () => place.removeEventListener('scroll', look)
  }, [box])
  useLayoutEffect(() => {
    const place = box.current
    if (place !== null && follows.current) place.scrollTop = place.scrollHeight
  }, [box, count])
  return view
}
