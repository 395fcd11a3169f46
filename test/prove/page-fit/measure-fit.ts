/** What does not fit on a page, one line for each element. */
export type Fit = {
  readonly findings: readonly string[]
  /** Cumulative layout shift since the document was opened. */
  readonly shift: number
  /** What moved, and by how many pixels. */
  readonly moved: readonly string[]
}

/** Runs before the scripts of every document: the browser reports shifts only to who listens. */
export const WATCH_SHIFT = `(() => {
  const shifts = { sum: 0, moved: [] }
  const nameOf = ({ node, previousRect, currentRect }) => {
    const element = node?.nodeType === 1 ? node : node?.parentElement
    const label = element?.getAttribute?.('aria-label') ?? element?.textContent?.slice(0, 16) ?? ''
    const by = (side) => Math.round(currentRect[side] - previousRect[side])
    return (element?.localName ?? 'gone') + '.' + (element?.getAttribute?.('class') ?? '') +
      ' "' + label + '" by ' + by('x') + ',' + by('y')
  }
  const watcher = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue
      shifts.sum += entry.value
      shifts.moved.push(entry.value.toFixed(3) + ' of ' + entry.sources.map(nameOf).join('; '))
    }
  })
  watcher.observe({ type: 'layout-shift', buffered: true })
  Object.defineProperty(window, '__shifts', { value: shifts })
})()`

/**
 * A text for the page, because the type checker does not know the browser's globals. It judges
 * where texts are drawn, so that ellipses, which shorten names on purpose, are no findings.
 */
export const MEASURE = `(() => {
  const SLACK = 1.5
  const findings = []
  const nameOf = (element) => {
    const text = (element.textContent ?? '').trim().slice(0, 24)
    const classes = String(element.className?.baseVal ?? element.className).replaceAll(' ', '.')
    return element.tagName.toLowerCase() + (classes === '' ? '' : '.' + classes) + ' "' + text + '"'
  }
  const note = (what, element) => findings.push(what + ': ' + nameOf(element))
  const isHidden = (element) => {
    if (element.closest('.sr, [aria-hidden="true"] > canvas, dialog:not([open])') !== null)
      return true
    const { width, height } = element.getBoundingClientRect()
    return width <= 1 || height <= 1 || getComputedStyle(element).visibility === 'hidden'
  }
  const styleOf = (element) => getComputedStyle(element)
  const scrolls = (element) => /auto|scroll/.test(styleOf(element).overflowX)
  const clips = (element) => styleOf(element).overflowX !== 'visible'
  const above = (element, test, until) => {
    for (let up = element.parentElement; up !== null && up !== until; up = up.parentElement)
      if (test(up)) return up
    return null
  }
  const wider = document.documentElement.scrollWidth - document.documentElement.clientWidth
  if (wider > 0) findings.push('the page scrolls sideways by ' + wider + ' px')
  const lower = document.documentElement.scrollHeight - Math.max(innerHeight, ...[
    ...document.querySelectorAll('#main, body > *'),
  ].map((each) => each.getBoundingClientRect().bottom + scrollY))
  if (lower > SLACK) findings.push('the page scrolls ' + Math.round(lower) + ' px into nothing')
  for (const card of document.querySelectorAll('.card, dialog[open]')) {
    const box = card.getBoundingClientRect()
    for (const element of card.querySelectorAll('*')) {
      if (isHidden(element) || above(element, clips, card) !== null) continue
      const { left, right } = element.getBoundingClientRect()
      if (right > box.right + SLACK || left < box.left - SLACK) note('outside of its card', element)
    }
  }
  for (const element of document.querySelectorAll('body *')) {
    if (isHidden(element) || !scrolls(element)) continue
    if (element.scrollWidth <= element.clientWidth + SLACK) continue
    const isHinted = element.tabIndex === 0 && element.matches('[data-more], pre, textarea, input')
    if (!isHinted) note('scrolls sideways without a hint', element)
  }
  for (const cell of document.querySelectorAll('td, th')) {
    const over = cell.scrollWidth - cell.clientWidth
    if (!isHidden(cell) && !clips(cell) && over > SLACK) note('text beyond its cell', cell)
  }
  for (const element of document.querySelectorAll('.num, .fig, time, [data-value]')) {
    if (isHidden(element) || element.textContent === '') continue
    const range = document.createRange()
    range.selectNodeContents(element)
    const text = range.getBoundingClientRect()
    const own = element.getBoundingClientRect()
    const isOver = text.right > own.right + SLACK || text.left < own.left - SLACK
    if (element.matches('.fig') && isOver) note('figure beyond its own box', element)
    const cutter = clips(element) ? element : above(element, clips, document.body)
    if (cutter === null || scrolls(cutter) || text.width === 0) continue
    const box = cutter.getBoundingClientRect()
    if (text.right > box.right + SLACK || text.left < box.left - SLACK) note('cut figure', element)
  }
  const { sum, moved } = window.__shifts
  return { findings: [...new Set(findings)], shift: sum, moved: [...new Set(moved)] }
})()`
