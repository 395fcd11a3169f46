import { ChevronDown, Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Name } from './name.tsx'
import { everywhere } from '../words/everywhere.ts'
import { Menu, MenuItem } from './menu.tsx'

export type FilterOption = { readonly value: string; readonly label: string }

/** A filter as a chip: its name, what is chosen, and a menu. Its state belongs into the address. */
export function Filter({
  label,
  options,
  chosen,
  onChoose,
  anyLabel = everywhere.any,
}: {
  readonly label: string
  readonly options: readonly FilterOption[]
  readonly chosen: string | undefined
  readonly onChoose: (value: string | undefined) => void
  readonly anyLabel?: string
}) {
  const current = options.find((option) => option.value === chosen)
  return (
    <Menu
      align="start"
      className={chosen === undefined ? 'chip' : 'chip set'}
      trigger={
        <>
          {label}{' '}
          <b>{chosen === undefined ? anyLabel : <Name value={current?.label ?? chosen} />}</b>
          <ChevronDown size={14} aria-hidden />
        </>
      }
    >
      <MenuItem checked={chosen === undefined} onSelect={() => onChoose(undefined)}>
        {anyLabel}
      </MenuItem>
      {options.map((option) => (
        <MenuItem
          key={option.value}
          checked={option.value === chosen}
          onSelect={() => onChoose(option.value)}
        >
          <Name value={option.label} />
        </MenuItem>
      ))}
    </Menu>
  )
}

const TYPING_PAUSE_MS = 250

/** A search field that reports after a pause in typing. */
export function SearchField({
  label,
  value,
  onSearch,
}: {
  readonly label: string
  readonly value: string | undefined
  readonly onSearch: (text: string | undefined) => void
}) {
  const [text, setText] = useState(value ?? '')
  const [seen, setSeen] = useState(value)
  const [reported, setReported] = useState(value)
  // Another control, such as the one that removes all filters, changed the value.
  if (value !== seen) {
    setSeen(value)
    if (value !== reported) setText(value ?? '')
    setReported(value)
  }
  useEffect(() => {
    if (text === (value ?? '')) return
    const timer = setTimeout(() => {
      const searched = text === '' ? undefined : text
      setReported(searched)
      onSearch(searched)
    }, TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text, value, onSearch])
  return (
    <div className="search">
      <span className="input">
        <Search size={14} aria-hidden />
        <input
          type="search"
          aria-label={label}
          placeholder={label}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </span>
    </div>
  )
}
