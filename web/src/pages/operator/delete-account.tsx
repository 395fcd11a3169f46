import { useNavigate } from '@tanstack/react-router'
import type { OperatorAccountDetail } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { AskByName } from '../../parts/ask-by-name.tsx'
import { deletion as words } from '../../words/deletion.ts'

export function DeleteAccount({
  account: { id, email },
  onClose,
}: {
  readonly account: OperatorAccountDetail
  readonly onClose: () => void
}) {
  const navigate = useNavigate()
  const remove = useChange('DELETE /operator/accounts/{account}', ['GET /operator/accounts'])
  return (
    <AskByName
      title={words.personTitle(email)}
      text={words.personText}
      name={email}
      button={words.accountDelete}
      change={remove}
      input={{ path: { account: id } }}
      done={words.personDeleted}
      onDone={() => void navigate({ to: '/operator/accounts' })}
      onClose={onClose}
    />
  )
}
