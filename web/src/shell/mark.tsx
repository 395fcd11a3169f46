import styles from './frame.module.css'
/** The mark: two banks, and water that falls from the higher to the lower. */
export function Mark({ size = 20 }: { readonly size?: number }) {
  return (
    <svg className={styles.mark} viewBox="0 0 16 16" width={size} height={size} aria-hidden>
      <path fill="currentColor" d="M2 1h3v14H2zM11 5h3v10h-3z" />
      <path
        className={styles.markWater}
        fill="none"
        stroke="currentColor"
        strokeWidth="3"
        d="M5 6.5c3.6 0 2.4 3 6 3"
      />
    </svg>
  )
}
