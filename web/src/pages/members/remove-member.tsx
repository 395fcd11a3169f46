import { useState } from 'react'
import type { Key, Member } from '../../api/routes.ts'
import { useApi, useChange } from '../../api/use-api.ts'
import { Ask } from '../../parts/ask.tsx'
import { Loaded, Skeleton } from '../../parts/states.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { members as words } from '../../words/members.ts'
import styles from './members.module.css'

const KEYS_READ = 100
const KEYS_NAMED = 5

/** Says what stops working with the person, and offers to keep it. */
export function RemoveMember({
  member,
  onClose,
}: {
  readonly member: Member
  readonly onClose: () => void
}) {
  const { path } = useOrganization()
  const [keys, setKeys] = useState<'stop' | 'move'>('stop')
  const owned = useApi('GET /organizations/{organization}/keys', {
    path,
    query: { owner: member.id, state: 'active', limit: KEYS_READ },
  })
  const remove = useChange('DELETE /organizations/{organization}/members/{account}', [
    'GET /organizations/{organization}/members',
    'GET /organizations/{organization}/keys',
  ])
  const name = member.name ?? member.email
  return (
    <Ask
      title={words.removeTitle(name)}
      text={words.removeText}
      button={words.remove}
      disabled={owned.data === undefined}
      change={remove}
      input={{ path: { ...path, account: member.id }, query: { keys } }}
      done={words.removed(name)}
      onClose={onClose}
    >
      <Loaded reading={owned} what={words.keysOfPerson} skeleton={<Skeleton lines={2} />}>
        {({ data, next }) => (
          <KeysChoice keys={data} more={next !== null} chosen={keys} onChoose={setKeys} />
        )}
      </Loaded>
    </Ask>
  )
}

function KeysChoice({
  keys,
  more,
  chosen,
  onChoose,
}: {
  readonly keys: readonly Key[]
  readonly more: boolean
  readonly chosen: 'stop' | 'move'
  readonly onChoose: (choice: 'stop' | 'move') => void
}) {
  if (keys.length === 0) return <p>{words.noKeys}</p>
  const named = keys.slice(0, KEYS_NAMED).map((key) => key.name)
  const rest = keys.length - named.length
  const listed = [...named, ...(rest > 0 ? [words.andMore(rest)] : [])].join(', ')
  return (
    <fieldset className={`stack ${styles.choices}`}>
      <legend className="sr">{words.keysOfPerson}</legend>
      <label className="choice">
        <input
          type="radio"
          name="keys"
          checked={chosen === 'stop'}
          onChange={() => onChoose('stop')}
        />
        <span>
          {words.stop(keys.length, more)}
          <span className="hint block">{listed}</span>
        </span>
      </label>
      <label className="choice">
        <input
          type="radio"
          name="keys"
          checked={chosen === 'move'}
          onChange={() => onChoose('move')}
        />
        <span>
          {words.move(keys.length, more)}
          <span className="hint block">{words.moveText}</span>
        </span>
      </label>
    </fieldset>
  )
}
