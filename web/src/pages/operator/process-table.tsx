import type { Process } from '../../api/routes.ts'
import { useApi } from '../../api/use-api.ts'
import { UNKNOWN } from '../../format/number.ts'
import { Loaded } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Dot, Tag } from '../../parts/tag.tsx'
import { Ago } from '../../parts/time.tsx'
import { operator } from '../../words/operator.ts'
import { processName } from './engines/merge-engines.ts'

const words = operator.engines
const EVERY_MS = 5000
const FINGERPRINT_SHOWN = 8

const COLUMNS = [
  { name: words.process },
  { name: words.kind },
  { name: words.state },
  { name: words.version, className: 'opt-2' },
  { name: words.started, className: 'opt-2' },
  { name: words.configuration },
]

/** Every process with its state; those that do not answer or run with another file are marked. */
export function ProcessTable() {
  const reading = useApi('GET /operator/processes', {}, { every: EVERY_MS })
  return (
    <Loaded reading={reading} what={words.processes}>
      {({ data }) => (
        <Table caption={words.processes} className="dense listed" columns={COLUMNS}>
          {data.map((process) => (
            <ProcessLine key={process.url ?? ''} process={process} />
          ))}
        </Table>
      )}
    </Loaded>
  )
}

function ProcessLine({ process: { url, reachable, status, differs } }: { process: Process }) {
  return (
    <tr>
      <th scope="row">{url === null ? words.thisProcess : processName(url)}</th>
      <td className="ink-3">{status === null ? UNKNOWN : words.kinds[status.kind]}</td>
      <td>
        <span className={reachable ? 'row' : 'row bad'}>
          <Dot tone={reachable ? 'ok' : 'bad'} /> {reachable ? words.answers : words.unreachable}
        </span>
      </td>
      <td className="num-text opt opt-2">{status?.version ?? UNKNOWN}</td>
      <td className="opt opt-2">
        <Ago time={status?.started_at ?? null} />
      </td>
      <td>
        <span className="row">
          <code title={status?.configuration}>
            {status?.configuration.slice(0, FINGERPRINT_SHOWN) ?? UNKNOWN}
          </code>
          {differs && <Tag tone="warn">{words.differs}</Tag>}
        </span>
      </td>
    </tr>
  )
}
