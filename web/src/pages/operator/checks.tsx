import { CircleCheck, CircleMinus, CircleX, TriangleAlert } from 'lucide-react'
import type { OperatorOverview } from '../../api/routes.ts'
import { formatMoney, UNKNOWN } from '../../format/number.ts'
import { Ago } from '../../parts/time.tsx'
import { operator } from '../../words/operator.ts'
import { processName } from './engines/merge-engines.ts'

const words = operator.checks

const ICONS = { ok: CircleCheck, warn: TriangleAlert, bad: CircleX, off: CircleMinus } as const

type State = keyof typeof ICONS

/** What must hold, each with the figure that shows it. */
export function Checks({ facts }: { readonly facts: OperatorOverview }) {
  const { ledger_sum: sum, reconciliation, processes, engines } = facts
  const differences = reconciliation.differences.length
  const { unreachable, differing, total } = processes
  return (
    <ul className="list checks">
      <Check
        state={sum === null ? 'off' : sum.amount_micro === 0 ? 'ok' : 'bad'}
        figure={formatMoney(sum, 6)}
      >
        {sum === null
          ? words.ledgerUnknown
          : sum.amount_micro === 0
            ? words.ledgerZero
            : words.ledgerOff}
      </Check>
      <Check
        state={reconciliation.checked_at === null ? 'off' : differences === 0 ? 'ok' : 'bad'}
        figure={<Ago time={reconciliation.checked_at} />}
      >
        {reconciliation.checked_at === null
          ? words.notReconciled
          : differences === 0
            ? words.reconciled
            : words.differs(differences)}
      </Check>
      <Check
        state={differing.length === 0 ? 'ok' : 'warn'}
        figure={words.ofProcesses(total - differing.length, total)}
      >
        {differing.length === 0
          ? words.sameConfiguration
          : words.otherConfiguration(differing.length)}
      </Check>
      <Check
        state={unreachable.length === 0 ? 'ok' : 'bad'}
        figure={
          unreachable.map(processName).join(', ') ||
          words.ofProcesses(total - unreachable.length, total)
        }
      >
        {unreachable.length === 0
          ? words.processesReachable
          : words.processesUnreachable(unreachable.length)}
      </Check>
      <EngineChecks engines={engines} />
    </ul>
  )
}

/** Engines that no process told of are not known: neither healthy nor complete. */
function EngineChecks({ engines }: { readonly engines: OperatorOverview['engines'] }) {
  if (!engines.known)
    return (
      <Check state="off" figure={UNKNOWN}>
        {words.enginesUnknown}
      </Check>
    )
  const unhealthy = [...new Set(engines.unhealthy.map(({ engine }) => engine))]
  return (
    <>
      <Check state={unhealthy.length === 0 ? 'ok' : 'warn'} figure={unhealthy.join(', ')}>
        {unhealthy.length === 0 ? words.enginesHealthy : words.enginesUnhealthy(unhealthy.length)}
      </Check>
      <Check
        state={engines.incapable.length === 0 ? 'ok' : 'warn'}
        figure={engines.incapable.map(({ engine }) => engine).join(', ')}
      >
        {engines.incapable.length === 0
          ? words.enginesCapable
          : words.enginesIncapable(engines.incapable.length)}
      </Check>
    </>
  )
}

function Check({
  state,
  figure,
  children,
}: {
  readonly state: State
  readonly figure: React.ReactNode
  readonly children: string
}) {
  const Icon = ICONS[state]
  return (
    <li>
      <div>
        <span className="row">
          <Icon size={16} className={state} aria-hidden />
          <span>{children}</span>
        </span>
        <span className="num xs ink-3 cut">{figure}</span>
      </div>
    </li>
  )
}
