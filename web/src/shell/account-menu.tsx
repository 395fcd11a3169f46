import { Link } from '@tanstack/react-router'
import { Check, Contrast } from 'lucide-react'
import type { Me } from '../api/routes.ts'
import { Menu, MenuItem } from '../parts/menu.tsx'
import { shell } from '../words/shell.ts'
import { HelpMenu } from './help-menu.tsx'
import { LanguageItems } from './language-menu.tsx'
import { chooseOwnLanguage } from './language.ts'
import { signOut } from './session.ts'
import { chooseTheme, useTheme, type Theme } from './theme.ts'
import styles from './frame.module.css'

const THEMES: readonly Theme[] = ['system', 'light', 'dark']

export function AccountMenu({ me }: { readonly me: Me }) {
  return (
    <div className={styles.account}>
      <Menu
        align="start"
        className={styles.accountButton}
        trigger={
          <>
            <span className="avatar" aria-hidden>
              {(me.name ?? me.email).slice(0, 1).toUpperCase()}
            </span>
            <span className="cut" title={me.email}>
              {me.name ?? me.email}
            </span>
          </>
        }
      >
        <Link role="menuitem" tabIndex={-1} to="/account/profile">
          {shell.account}
        </Link>
        <hr />
        <LanguageItems onChoose={(language) => void chooseOwnLanguage(language)} />
        <hr />
        <MenuItem onSelect={() => void signOut()}>{shell.signOut}</MenuItem>
      </Menu>
      <HelpMenu />
      <ThemeMenu />
    </div>
  )
}

export function ThemeMenu() {
  const theme = useTheme()
  return (
    <Menu label={shell.theme} trigger={<Contrast size={16} aria-hidden />}>
      {THEMES.map((name) => (
        <MenuItem key={name} checked={name === theme} onSelect={() => chooseTheme(name)}>
          <span className="grow">{shell.themes[name]}</span>
          {name === theme && <Check size={14} aria-hidden />}
        </MenuItem>
      ))}
    </Menu>
  )
}
