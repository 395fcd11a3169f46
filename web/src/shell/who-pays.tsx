import { formatList } from '../format/list.ts'
import { gate } from '../words/gate.ts'
import { useNamesWith } from './names-with.ts'
import { useOrganization } from './organization.tsx'

/** Whom to ask whose role does not pay, where the service has payments. */
export function WhoPays() {
  const { name } = useOrganization()
  const names = useNamesWith('payments:write')
  return (
    <>
      {gate.whoPays(name)} {names.length > 0 && gate.ask(formatList(names, 'disjunction'))}
    </>
  )
}
