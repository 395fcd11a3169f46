import { Check, Languages } from 'lucide-react'
import { LANGUAGE_NAMES, LANGUAGES, type Language } from '../../../src/contract/language.ts'
import { Menu, MenuItem } from '../parts/menu.tsx'
import { shell } from '../words/shell.ts'
import { chooseLanguage, LANGUAGE } from './language.ts'

/** The switch of the pages before signing in. */
export function LanguageMenu() {
  return (
    <Menu label={shell.language} trigger={<Languages size={16} aria-hidden />}>
      <LanguageItems onChoose={chooseLanguage} />
    </Menu>
  )
}

/** Each language has its name in its own words, so that whoever needs it finds it. */
export function LanguageItems({ onChoose }: { readonly onChoose: (language: Language) => void }) {
  return LANGUAGES.map((language) => (
    <MenuItem
      key={language}
      checked={language === LANGUAGE}
      onSelect={() => {
        if (language !== LANGUAGE) onChoose(language)
      }}
    >
      <span className="grow" lang={language}>
        {LANGUAGE_NAMES[language]}
      </span>
      {language === LANGUAGE && <Check size={14} aria-hidden />}
    </MenuItem>
  ))
}
