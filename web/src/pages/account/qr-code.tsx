import { encode } from 'uqr'
import styles from './account.module.css'

const BORDER = 2

/** A QR code as a picture of our own: black on white in every theme, so that cameras read it. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: BORDER })
  const modules = data.flatMap((row, y) =>
    row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])),
  )
  return (
    <svg className={styles.qr} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path className={styles.qrGround} d={`M0 0h${size}v${size}h-${size}z`} />
      <path className={styles.qrModules} d={modules.join('')} />
    </svg>
  )
}
