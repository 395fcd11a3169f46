const WIDTH = 72
const HEIGHT = 20

/** A tiny row of bars. `label` says in words what it shows, such as "30 days, most 120 a day". */
export function Sparkline({
  values,
  label,
}: {
  readonly values: readonly number[]
  readonly label: string
}) {
  const most = Math.max(1, ...values)
  const slot = WIDTH / Math.max(1, values.length)
  return (
    <svg
      className="sparkline"
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={label}
    >
      {values.map((value, index) => {
        // What is there is visible; what is zero leaves its place on the line empty.
        const height = value <= 0 ? 0 : Math.max(1.5, (value / most) * (HEIGHT - 1))
        return (
          <rect
            key={index}
            className="c1"
            x={index * slot}
            y={HEIGHT - height}
            width={Math.max(1, slot - 1)}
            height={height}
          />
        )
      })}
    </svg>
  )
}
