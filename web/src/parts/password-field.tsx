import { Eye, EyeOff } from 'lucide-react'
import { useState, type ComponentProps } from 'react'
import { password as words } from '../words/password.ts'
import { IconButton } from './button.tsx'
import { TextField } from './field.tsx'

/** A password that can be looked at. */
export function PasswordField(props: Omit<ComponentProps<typeof TextField>, 'type' | 'end'>) {
  const [shown, setShown] = useState(false)
  return (
    <TextField
      {...props}
      type={shown ? 'text' : 'password'}
      spellCheck={false}
      end={
        <IconButton label={shown ? words.hide : words.show} onClick={() => setShown(!shown)}>
          {shown ? <EyeOff size={16} aria-hidden /> : <Eye size={16} aria-hidden />}
        </IconButton>
      }
    />
  )
}
