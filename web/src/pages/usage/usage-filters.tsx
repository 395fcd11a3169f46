import { Calendar, ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { TextField } from '../../parts/field.tsx'
import { Menu, MenuItem } from '../../parts/menu.tsx'
import type { SearchChange } from '../../shell/search.ts'
import { usage as words } from '../../words/usage.ts'
import { dayText, type Range } from './period.ts'
import { GROUPS, MEASURES, PERIODS, SPLITS, type UsageSearch } from './search.ts'
import { UsedFilter } from './used-filter.tsx'
import styles from './usage.module.css'

type Choose = (change: SearchChange<UsageSearch>) => void

/** Period, groups, measure and filters, all of them in the address. */
export function UsageFilters({
  search,
  range,
  choose,
}: {
  readonly search: UsageSearch
  readonly range: Range
  readonly choose: Choose
}) {
  const { period = '30', by = 'day', split = 'model', measure = 'cost' } = search
  const timely = by === 'day' || by === 'hour'
  const splits = [
    ...SPLITS.map((value) => ({ value, label: words.groups[value] })),
    { value: 'none' as const, label: words.noSplit },
  ]
  return (
    <>
      <div className="filters">
        <Choice
          label={<Calendar size={14} aria-hidden />}
          name={words.period}
          options={PERIODS.map((value) => ({ value, label: words.periods[value] }))}
          chosen={period}
          tinted
          onChoose={(chosen) =>
            choose({ period: chosen, ...(chosen === 'custom' && customDays(range)) })
          }
        />
        <Choice
          label={words.by}
          name={words.by}
          options={GROUPS.map((value) => ({ value, label: words.groups[value] }))}
          chosen={by}
          onChoose={(chosen) => choose({ by: chosen, sort: undefined, order: undefined })}
        />
        {timely && (
          <Choice
            label={words.colours}
            name={words.colours}
            options={splits}
            chosen={split}
            onChoose={(chosen) => choose({ split: chosen })}
          />
        )}
        <Choice
          label={words.measure}
          name={words.measure}
          options={MEASURES.map((value) => ({ value, label: words.measures[value] }))}
          chosen={measure}
          onChoose={(chosen) => choose({ measure: chosen })}
        />
        <i className={styles.chipRule} aria-hidden />
        {SPLITS.map((group) => (
          <UsedFilter
            key={group}
            group={group}
            chosen={search[group]}
            range={range}
            onChoose={(value) => choose({ [group]: value })}
          />
        ))}
      </div>
      {period === 'custom' && <CustomPeriod key={`${range.from}`} range={range} choose={choose} />}
    </>
  )
}

function customDays({ from, to }: Range) {
  return { from: dayText(from), to: dayText(to - 1) }
}

function Choice<Value extends string>({
  label,
  name,
  options,
  chosen,
  onChoose,
  tinted = false,
}: {
  readonly label: React.ReactNode
  readonly name: string
  readonly options: readonly { readonly value: Value; readonly label: string }[]
  readonly chosen: Value
  readonly onChoose: (value: Value) => void
  readonly tinted?: boolean
}) {
  return (
    <Menu
      align="start"
      className={tinted ? 'chip set' : 'chip'}
      trigger={
        <>
          {tinted && <span className="sr">{name}</span>}
          {label} <b>{options.find(({ value }) => value === chosen)?.label ?? chosen}</b>
          <ChevronDown size={14} aria-hidden />
        </>
      }
    >
      {options.map((option) => (
        <MenuItem
          key={option.value}
          checked={option.value === chosen}
          onSelect={() => onChoose(option.value)}
        >
          {option.label}
        </MenuItem>
      ))}
    </Menu>
  )
}

function CustomPeriod({ range, choose }: { readonly range: Range; readonly choose: Choose }) {
  const [days, setDays] = useState(customDays(range))
  return (
    <form
      className={`row ${styles.customPeriod}`}
      onSubmit={(event) => {
        event.preventDefault()
        choose(days)
      }}
    >
      <TextField
        label={words.firstDay}
        type="date"
        value={days.from}
        max={days.to}
        onChange={(event) => setDays({ ...days, from: event.currentTarget.value })}
      />
      <TextField
        label={words.lastDay}
        type="date"
        value={days.to}
        min={days.from}
        onChange={(event) => setDays({ ...days, to: event.currentTarget.value })}
      />
      <Button type="submit">{words.show}</Button>
    </form>
  )
}
