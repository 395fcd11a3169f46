import { createElement, type ReactElement, type SVGProps } from 'react'

type IconData = { readonly node: readonly (readonly [string, Record<string, string>])[] }
type IconProps = SVGProps<SVGSVGElement> & { readonly size?: number }

/**
 * Takes the place of lucide-react's own function of this form when the web app is built
 * (slim-icons.ts): the same drawing without its context, class names and options that no page
 * uses, which every page would load.
 */
export function createIcon({ node }: IconData) {
  return ({ size = 24, strokeWidth = 2, ...rest }: IconProps): ReactElement =>
    createElement(
      'svg',
      {
        viewBox: '0 0 24 24',
        width: size,
        height: size,
        fill: 'none',
        stroke: 'currentColor',
        strokeWidth,
        strokeLinecap: 'round',
        strokeLinejoin: 'round',
        ...rest,
      },
      // As arguments, so that they need no keys.
      ...node.map(([tag, attributes]) => createElement(tag, attributes)),
    )
}
