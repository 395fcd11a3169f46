import { Dialog, DialogBody } from '../parts/dialog.tsx'
import { shell } from '../words/shell.ts'
import { goToShortcut, shortcutList } from '../words/shortcuts.ts'
import { GO_TO_KEYS } from './go-to-keys.ts'

export function Shortcuts({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog open onClose={onClose} title={shell.shortcuts}>
      <DialogBody>
        <dl className="lines">
          {[[GO_TO_KEYS, goToShortcut] as const, ...shortcutList].map(([keys, does]) => (
            <div key={keys}>
              <dt>{does}</dt>
              <dd>
                <kbd className="kbd">{keys}</kbd>
              </dd>
            </div>
          ))}
        </dl>
      </DialogBody>
    </Dialog>
  )
}
