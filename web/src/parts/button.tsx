import type { ComponentProps, ReactNode } from 'react'

type Props = Omit<ComponentProps<'button'>, 'className'> & {
  readonly look?: 'plain' | 'primary' | 'ghost' | 'danger' | 'danger-quiet'
  readonly size?: 'sm' | 'lg'
  readonly block?: boolean
  /** It works on something: it keeps its label and its focus, and a second press does nothing. */
  readonly busy?: boolean
  readonly children: ReactNode
}

export function Button({ look = 'plain', size, block, busy = false, onClick, ...rest }: Props) {
  const classes = ['btn', look === 'plain' ? '' : look, size ?? '', block === true ? 'block' : '']
  return (
    <button
      type="button"
      {...rest}
      className={classes.filter((name) => name !== '').join(' ')}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={(event) => {
        if (busy) event.preventDefault()
        else onClick?.(event)
      }}
    />
  )
}

/** A button that shows an icon only; its label is what a screen reader says. */
export function IconButton({
  label,
  ...rest
}: Omit<ComponentProps<'button'>, 'className' | 'aria-label'> & { readonly label: string }) {
  return <button type="button" {...rest} className="iconbtn" aria-label={label} title={label} />
}
