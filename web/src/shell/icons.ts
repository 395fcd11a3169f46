import {
  Box,
  ChartNoAxesColumn,
  FolderClosed,
  Gauge,
  History,
  KeyRound,
  LayoutDashboard,
  Rows3,
  Settings2,
  SquareTerminal,
  Users,
  Wallet,
} from 'lucide-react'

/** The icon of each page: in the sidebar, on empty pages and in "Go to". */
export const icons = {
  audit: History,
  billing: Wallet,
  keys: KeyRound,
  limits: Gauge,
  members: Users,
  models: Box,
  overview: LayoutDashboard,
  playground: SquareTerminal,
  projects: FolderClosed,
  requests: Rows3,
  settings: Settings2,
  usage: ChartNoAxesColumn,
} as const
