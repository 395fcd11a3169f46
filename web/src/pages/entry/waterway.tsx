import { entry } from '../../words/entry.ts'
import styles from './entry.module.css'

const { waterway } = entry

const GROUND: readonly (readonly [number, number])[] = [
  [0, 268],
  [92, 268],
  [110, 240],
  [436, 248],
  [462, 302],
  [552, 302],
  [646, 448],
  [646, 502],
  [760, 503],
]
const HATCH_STEP = 13
const BLADES =
  'M680 438Q685.1 444.8 692.4 445.8M678.6 441.9Q678.1 450.3 683.1 455.8M675 443.9Q669.2 450.1 ' +
  '669.5 457.5M671 443.2Q662.6 444.2 658 450.1M668.4 440.1Q661.3 435.4 654 437M668.4 435.9Q665.9 ' +
  '427.8 659.4 424.4M671 432.8Q674.3 425 671.5 418.2M675 432.1Q682.6 428.3 684.9 421.2M678.6 ' +
  '434.1Q686.9 436.1 693.1 432.1'
const BODY =
  'M0 196H118V206L436 212H536V264H562L664 422 650 432 552 288H536V302H462L436 248 110 240 92 268H0z'
const RACK = `${[62, 67, 72, 77, 82, 87].map((x) => `M${x} 266l11 -80`).join('')}M70 186H104`
const FLOWS = ['M176 224', 'M376 231', 'M486 274']
const LEVELS = [
  [28, 196],
  [320, 209.8],
  [470, 212],
  [712, 480],
] as const

/** A section through a headrace: what each part of the service does, as its namesake does it. */
export function Waterway() {
  return (
    <svg className={styles.plan} viewBox="0 0 760 560" role="img" aria-label={waterway.label}>
      <Water />
      <Works />
      {FLOWS.map((start) => (
        <path key={start} className={styles.flow} d={`${start}h20m-4 -3l4 3 -4 3`} />
      ))}
      {LEVELS.map(([x, y]) => (
        <path
          key={x}
          className={styles.lvl}
          d={`M${x} ${y}l-5 -8h10zM${x - 6} ${y + 4}h12M${x - 3.5} ${y + 7}h7`}
        />
      ))}
      <path
        className={styles.dim}
        d="M556 212H750M742 212V480M738 220L742 212 746 220M738 472L742 480 746 472"
      />
      <text className={styles.t2} x="734" y="340" textAnchor="end">
        {waterway.head}
      </text>
      <text className={styles.t2} x="270" y="234" textAnchor="middle">
        {waterway.slope}
      </text>
      <Sign x={64} from={250} to={70} words={waterway.screen} />
      <Sign x={124} from={134} to={70} words={waterway.gate} />
      <Sign x={270} from={220} to={70} words={waterway.race} />
      <Sign x={500} from={250} to={70} words={waterway.forebay} />
      <Sign x={674} from={414} to={378} words={waterway.turbine} />
      <Sign x={726} from={492} to={540} words={waterway.tailrace} below />
    </svg>
  )
}

function Water() {
  return (
    <>
      <path className={styles.water} d={BODY} />
      <path className={styles.water} d="M646 480H760V503L646 502zM667 460H681V482H667z" />
      <path className={styles.surface} d="M0 196H118M130 206.2L436 212H536M646 480H760" />
      <path className={styles.earth} d={hatch()} />
      <path className={styles.ground} d={`M${GROUND.map(([x, y]) => `${x} ${y}`).join('L')}`} />
    </>
  )
}

/** Walls, screen, gate and turbine. */
function Works() {
  return (
    <>
      <path className={`${styles.wall} fill`} d="M536 196H550V264H536z" />
      <path className={styles.wall} d="M536 288V302M550 264H562L664 422M536 288H552L650 432" />
      <path className={styles.rack} d={RACK} />
      <path className={styles.wall} d="M116 240V140H132V240.5M124 140V120M117 120H131" />
      <path className={styles.gate} d="M120 152h8v58h-8z" />
      <circle className={styles.casing} cx="674" cy="438" r="27" />
      <circle className={styles.rim} cx="674" cy="438" r="21" />
      <path className={styles.blade} d={BLADES} />
      <circle className={styles.hub} cx="674" cy="438" r="5" />
      <path className={styles.wall} d="M667 464V488M681 464V488" />
    </>
  )
}

function Sign({
  x,
  from,
  to,
  words: [name, meaning],
  below = false,
}: {
  readonly x: number
  readonly from: number
  readonly to: number
  readonly words: readonly [string, string]
  readonly below?: boolean
}) {
  const at = below ? x - 8 : x + 8
  const top = below ? to - 10 : to + 10
  const textAnchor = below ? 'end' : 'start'
  return (
    <>
      <path className={styles.lead} d={`M${x} ${from}V${to}`} />
      <circle className={styles.pin} cx={x} cy={from} r="2" />
      <text className={styles.t1} x={at} y={top} textAnchor={textAnchor}>
        {name}
      </text>
      <text className={styles.t2} x={at} y={top + 16} textAnchor={textAnchor}>
        {meaning}
      </text>
    </>
  )
}

/** Short strokes below the ground, evenly along it. */
function hatch(): string {
  const strokes: string[] = []
  let next = HATCH_STEP / 2
  for (const [index, [x, y]] of GROUND.slice(1).entries()) {
    const [fromX, fromY] = GROUND[index]!
    const length = Math.hypot(x - fromX, y - fromY)
    for (; next < length; next += HATCH_STEP) {
      const part = next / length
      const at = [fromX + (x - fromX) * part, fromY + (y - fromY) * part]
      strokes.push(`M${at.map((value) => value.toFixed(1)).join(' ')}l-4.9 6.3`)
    }
    next -= length
  }
  return strokes.join('')
}
