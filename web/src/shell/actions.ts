import { Contrast, KeyRound, LogOut, UserPlus } from 'lucide-react'
import { goTo as words } from '../words/go-to.ts'
import { shell } from '../words/shell.ts'
import type { Destination } from './destinations.ts'
import { useOrganization } from './organization.tsx'
import { signOut } from './session.ts'
import { chooseTheme, useTheme, type Theme } from './theme.ts'

const THEMES: readonly Theme[] = ['light', 'dark', 'system']

/** What can be done from "Go to": in the organization that is open, and for oneself. */
export function useActions(slug: string): Destination[] {
  const { may } = useOrganization()
  const theme = useTheme()
  const group = 'actions'
  const params = { slug }
  return [
    ...(slug !== '' && may('keys:write')
      ? [
          {
            id: 'create-key',
            group,
            label: words.createKey,
            icon: KeyRound,
            to: '/o/$slug/keys',
            params,
            search: { create: '1' },
          } as const,
        ]
      : []),
    ...(slug !== '' && may('members:write')
      ? [
          {
            id: 'invite',
            group,
            label: words.invite,
            icon: UserPlus,
            to: '/o/$slug/members',
            params,
            search: { open: 'invite' },
          } as const,
        ]
      : []),
    ...THEMES.filter((name) => name !== theme).map(
      (name) =>
        ({
          id: `theme-${name}`,
          group,
          label: words.themes[name],
          icon: Contrast,
          act: () => chooseTheme(name),
        }) as const,
    ),
    {
      id: 'sign-out',
      group,
      label: shell.signOut,
      icon: LogOut,
      act: () => void signOut(),
    },
  ]
}
