import { useId, type KeyboardEvent, type ReactNode } from 'react'

export type Tab<Name extends string> = {
  readonly name: Name
  readonly label: ReactNode
  readonly content: ReactNode
}

/** Tabs by the usual keys: arrows, Home, End. Only the chosen tab is in the order of Tab. */
export function Tabs<Name extends string>({
  label,
  tabs,
  chosen,
  onChoose,
  panelClass,
  end,
}: {
  readonly label: string
  readonly tabs: readonly Tab<Name>[]
  readonly chosen: Name
  readonly onChoose: (name: Name) => void
  readonly panelClass?: string | undefined
  /** After the tabs, in the same line. */
  readonly end?: ReactNode
}) {
  const id = useId()
  const current = tabs.find((tab) => tab.name === chosen) ?? tabs[0]
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const at = tabs.findIndex((tab) => tab.name === chosen)
    const next = targetOf(event.key, at, tabs.length)
    const tab = next === undefined ? undefined : tabs[next]
    if (tab === undefined) return
    event.preventDefault()
    onChoose(tab.name)
    document.getElementById(`${id}-${tab.name}`)?.focus()
  }
  return (
    <>
      <div className="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map((tab) => (
          <button
            key={tab.name}
            type="button"
            role="tab"
            id={`${id}-${tab.name}`}
            aria-selected={tab === current}
            aria-controls={`${id}-panel`}
            tabIndex={tab === current ? 0 : -1}
            onClick={() => onChoose(tab.name)}
          >
            {tab.label}
          </button>
        ))}
        {end}
      </div>
      <div
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-${current?.name}`}
        tabIndex={0}
        className={panelClass}
      >
        {current?.content}
      </div>
    </>
  )
}

function targetOf(key: string, at: number, count: number): number | undefined {
  const targets: Record<string, number> = {
    ArrowRight: (at + 1) % count,
    ArrowLeft: (at - 1 + count) % count,
    Home: 0,
    End: count - 1,
  }
  return targets[key]
}

/** Two to four short choices, as buttons side by side. */
export function Segments<Name extends string>({
  label,
  options,
  chosen,
  onChoose,
  block,
}: {
  readonly label: string
  readonly options: readonly { readonly value: Name; readonly label: string }[]
  readonly chosen: Name
  readonly onChoose: (value: Name) => void
  readonly block?: boolean
}) {
  return (
    <div className={block === true ? 'segments block' : 'segments'} role="group" aria-label={label}>
      {options.map(({ value, label: text }) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === chosen}
          onClick={() => onChoose(value)}
        >
          {text}
        </button>
      ))}
    </div>
  )
}
