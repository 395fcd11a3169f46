import { Ellipsis } from 'lucide-react'
import { useState } from 'react'
import type { EngineOrder } from '../../../api/routes.ts'
import { useChange } from '../../../api/use-api.ts'
import { FormDialog } from '../../../parts/dialog.tsx'
import { errorAt } from '../../../parts/field.tsx'
import { Menu, MenuItem } from '../../../parts/menu.tsx'
import { FaultNote } from '../../../parts/states.tsx'
import { say } from '../../../parts/toast.tsx'
import { operatorEngines as words } from '../../../words/operator-engines.ts'
import { NoteField } from '../admit.tsx'
import type { EngineRow } from './merge-engines.ts'

export type ChosenOrder = Pick<EngineOrder, 'engine' | 'state'>

const STATES: readonly EngineOrder['state'][] = ['draining', 'disabled', 'enabled']

/** What may be done with an engine, other than what is in force. */
export function EngineActions({
  row: { name, order },
  onChoose,
}: {
  readonly row: EngineRow
  readonly onChoose: (order: ChosenOrder) => void
}) {
  const inForce = order?.state ?? 'enabled'
  return (
    <Menu label={words.actionsOf(name)} trigger={<Ellipsis size={16} aria-hidden />}>
      {STATES.filter((state) => state !== inForce).map((state) => (
        <MenuItem key={state} onSelect={() => onChoose({ engine: name, state })}>
          {words.orders[state].act}
        </MenuItem>
      ))}
    </Menu>
  )
}

/** Says what the order does, asks why, and gives it. */
export function OrderDialog({
  order: { engine, state },
  onClose,
}: {
  readonly order: ChosenOrder
  readonly onClose: () => void
}) {
  const change = useChange('PUT /operator/engines/{engine}/order', ['GET /operator/engines'])
  const [note, setNote] = useState('')
  const { act, title, text, done } = words.orders[state]
  const isDanger = state !== 'enabled'
  const send = () =>
    change.mutate(
      { path: { engine }, body: { state, ...(note !== '' && { note }) } },
      {
        onSuccess: () => {
          say(done(engine))
          onClose()
        },
      },
    )
  return (
    <FormDialog
      alert={isDanger}
      onClose={onClose}
      title={title(engine)}
      description={text}
      onSubmit={() => {
        send()
      }}
      submit={act}
      busy={change.isPending}
    >
      <NoteField value={note} onChange={setNote} error={errorAt(change.error, 'note')} />
      {change.error !== null && change.error.param !== 'note' && <FaultNote fault={change.error} />}
    </FormDialog>
  )
}
