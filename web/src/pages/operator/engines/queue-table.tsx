import { Link } from '@tanstack/react-router'
import { formatCount, formatDecimal, formatShare } from '../../../format/number.ts'
import { Name } from '../../../parts/name.tsx'
import { Card } from '../../../parts/page.tsx'
import { Table } from '../../../parts/table.tsx'
import { operatorEngines as words } from '../../../words/operator-engines.ts'
import { mergeQueues } from './merge-engines.ts'
import { useEngines } from './use-engines.ts'
import styles from '../operator.module.css'
import enginesStyles from './engines.module.css'

type Props = { readonly queues: ReturnType<typeof mergeQueues> }

const COLUMNS = [
  { name: words.model },
  { name: words.running, numeric: true },
  { name: words.waiting, numeric: true },
  { name: words.expected, numeric: true },
  { name: words.refused, numeric: true },
]
const HEAVIEST_MAX = 10

/** The queue of each model, and who uses it most. */
export function Queues() {
  const { data: processes = [], organizations = {} } = useEngines().data ?? {}
  const queues = mergeQueues(processes)
  if (queues.length === 0) return null
  return (
    <div className={`grid ${styles.halves} ${enginesStyles.below}`}>
      <QueueTable queues={queues} />
      <HeaviestTable queues={queues} names={organizations} />
    </div>
  )
}

/** What runs and waits for each model, in all processes. */
function QueueTable({ queues }: Props) {
  return (
    <Card title={words.queues} foot={words.refusedSince}>
      <Table
        caption={words.queuesCaption}
        className={`dense listed ${enginesStyles.queues}`}
        columns={COLUMNS}
      >
        {queues.map((queue) => (
          <tr key={queue.model}>
            <th scope="row">
              <code>{queue.model}</code>
            </th>
            <td className="num" data-label={words.running}>
              {formatCount(queue.running)}
            </td>
            <td className={queue.waiting > 0 ? 'num warn' : 'num'} data-label={words.waiting}>
              {formatCount(queue.waiting)}
            </td>
            <td className="num" data-label={words.expected}>
              {words.seconds(formatDecimal(queue.expected_wait_seconds, 1))}
            </td>
            <td className="num" data-label={words.refused}>
              {formatCount(Object.values(queue.refusals).reduce((sum, each) => sum + each, 0))}
            </td>
          </tr>
        ))}
      </Table>
    </Card>
  )
}

/** Who uses most of each model. */
function HeaviestTable({
  queues,
  names,
}: Props & { readonly names: Readonly<Record<string, string>> }) {
  const rows = queues
    .flatMap(({ model, tokens, heaviest }) =>
      heaviest.map((each) => ({ ...each, model, tokens: each.share * tokens })),
    )
    .toSorted((one, other) => other.tokens - one.tokens)
    .slice(0, HEAVIEST_MAX)
  return (
    <Card title={words.heaviest} meta={words.heaviestMeta}>
      {rows.length === 0 ? (
        <p className="card-body ink-3">{words.nobody}</p>
      ) : (
        <ol className={enginesStyles.ranks}>
          {rows.map(({ organization_id: id, model, share }) => (
            <li key={`${model} ${id}`}>
              <span className="row">
                <Link to="/operator/organizations/$organization" params={{ organization: id }}>
                  <Name value={names[id] ?? id} />
                </Link>
              </span>
              <code className="cut ink-3">{model}</code>
              <span className="num">{formatShare(share, 1)}</span>
              <span className={enginesStyles.rank}>
                <i style={{ width: `${share * 100}%` }} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </Card>
  )
}
