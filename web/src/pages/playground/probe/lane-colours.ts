import styles from './probe.module.css'

export type LaneName = 'waiting' | 'reasoning' | 'text' | 'tool'

type Colours = Readonly<Record<LaneName, string | undefined>>

/** The class of a small square. */
export const SWATCH: Colours = {
  waiting: styles.laneWaiting,
  reasoning: styles.laneReasoning,
  text: styles.laneText,
  tool: styles.laneTool,
}

/** The class of an area. */
export const SOFT: Colours = {
  waiting: styles.softWaiting,
  reasoning: styles.softReasoning,
  text: styles.softText,
  tool: styles.softTool,
}

/** The class of a line. */
export const LINE: Colours = {
  waiting: styles.lineWaiting,
  reasoning: styles.lineReasoning,
  text: styles.lineText,
  tool: styles.lineTool,
}
