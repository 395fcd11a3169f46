import { Ellipsis } from 'lucide-react'
import { useState } from 'react'
import type { EngineOrder } from '../../../api/routes.ts'
import { useChange } from '../../../api/use-api.ts'
import { ChangeDialog } from '../../../parts/change-dialog.tsx'
import { errorAt } from '../../../parts/field.tsx'
import { Menu, MenuItem } from '../../../parts/menu.tsx'
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
  return (
    <ChangeDialog
      alert={state !== 'enabled'}
      title={title(engine)}
      description={text}
      submit={act}
      change={change}
      input={{ path: { engine }, body: { state, ...(note !== '' && { note }) } }}
      fields={['note']}
      done={done(engine)}
      onClose={onClose}
    >
      <NoteField value={note} onChange={setNote} error={errorAt(change.error, 'note')} />
    </ChangeDialog>
  )
}
