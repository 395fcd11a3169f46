import { useSyncExternalStore } from 'react'

export type Theme = 'system' | 'light' | 'dark'

const STORED_AS = 'headrace-theme'
const listeners = new Set<() => void>()

function read(): Theme {
  const stored = localStorage.getItem(STORED_AS)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

/** Before the first paint, so that the page does not flash in the other theme. */
export function applyTheme(): void {
  const theme = read()
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(STORED_AS)
  else localStorage.setItem(STORED_AS, theme)
  applyTheme()
  for (const listen of listeners) listen()
}

export function useTheme(): Theme {
  return useSyncExternalStore((listen) => {
    listeners.add(listen)
    return () => listeners.delete(listen)
  }, read)
}

/** Calls back when colours change: by the switch here, or by the system. For canvases. */
export function onThemeChange(listen: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  listeners.add(listen)
  system.addEventListener('change', listen)
  return () => {
    listeners.delete(listen)
    system.removeEventListener('change', listen)
  }
}
