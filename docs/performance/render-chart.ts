import { showNumber } from './read-record.ts'

type Row = { readonly label: string; readonly value: number; readonly note?: string }

/** Bars with one unit and one scale. */
export type Section = {
  readonly title: string
  readonly unit: string
  readonly rows: readonly Row[]
}

export type Chart = { readonly title: string; readonly sections: readonly Section[] }

const WIDTH = 760
const LABEL_X = 24
const BAR_X = 150
const BAR_WIDTH_MAX = 420
const ROW_HEIGHT = 26
const BAR_HEIGHT = 16
const TITLE_HEIGHT = 44
const SECTION_HEIGHT = 40
/** A value that is small beside the largest is still seen. */
const BAR_WIDTH_MIN = 2
const OWN = 'Headrace'

const STYLE = `
    text { font-family: system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif }
    text { font-size: 13px; fill: #0f172a }
    .page { fill: #f8fafc } .unit { fill: #475569; font-weight: 400 }
    .title { font-size: 16px } .title, .section, .strong { font-weight: 600 }
    .bar { fill: #94a3b8 } .own { fill: #0f766e }
    @media (prefers-color-scheme: dark) {
      text { fill: #f1f5f9 } .page { fill: #0f172a } .unit { fill: #cbd5e1 }
      .bar { fill: #64748b } .own { fill: #2dd4bf }
    }`

/** Horizontal bars as SVG: plain shapes and text, for light and dark pages. */
export function renderChart({ title, sections }: Chart): string {
  const shapes: string[] = []
  let y = TITLE_HEIGHT
  for (const section of sections) {
    shapes.push(...renderSection(section, y))
    y += SECTION_HEIGHT + section.rows.length * ROW_HEIGHT
  }
  const height = y + 16
  const size = `width="${WIDTH}" height="${height}"`
  const space = `xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}"`
  return `<svg ${space} ${size} role="img" aria-labelledby="title desc">
  <title id="title">${escape(title)}</title>
  <desc id="desc">${escape(sections.map(describeSection).join(' '))}</desc>
  <style>${STYLE}
  </style>
  <rect class="page" ${size} rx="12"/>
  <text class="title" x="${LABEL_X}" y="32">${escape(title)}</text>
  ${shapes.join('\n  ')}
</svg>
`
}

function renderSection({ title, unit, rows }: Section, top: number): string[] {
  const largest = Math.max(...rows.map(({ value }) => value))
  const y = top + SECTION_HEIGHT - 14
  const inUnit = `<tspan class="unit" dx="6">${escape(unit)}</tspan>`
  const head = `<text class="section" x="${LABEL_X}" y="${y}">${escape(title)}${inUnit}</text>`
  const bars = rows.flatMap(({ label, value, note }, at) => {
    const rowY = top + SECTION_HEIGHT + at * ROW_HEIGHT
    const textY = rowY + BAR_HEIGHT - 3
    const share = largest > 0 ? Math.max(value, 0) / largest : 0
    const width = Math.max(BAR_WIDTH_MIN, share * BAR_WIDTH_MAX).toFixed(1)
    const weight = label === OWN ? ' class="strong"' : ''
    const color = label === OWN ? 'own' : 'bar'
    const size = `width="${width}" height="${BAR_HEIGHT}"`
    const shown = escape([showNumber(value), note].filter(Boolean).join(' '))
    const valueX = (BAR_X + Number(width) + 8).toFixed(1)
    return [
      `<text${weight} x="${LABEL_X}" y="${textY}">${escape(label)}</text>`,
      `<rect class="${color}" x="${BAR_X}" y="${rowY}" ${size} rx="3"/>`,
      `<text${weight} x="${valueX}" y="${textY}">${shown}</text>`,
    ]
  })
  return [head, ...bars]
}

function describeSection({ title, unit, rows }: Section): string {
  const values = rows.map(({ label, value }) => `${label} ${showNumber(value)}`)
  return `${title}, ${unit}: ${values.join(', ')}.`
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
