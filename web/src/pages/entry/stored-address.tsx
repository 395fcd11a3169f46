/** Nobody sees it: password managers store the password with this address. */
export function StoredAddress({ email }: { readonly email: string }) {
  return (
    <input
      className="sr"
      type="email"
      name="email"
      autoComplete="username"
      value={email}
      readOnly
      tabIndex={-1}
      aria-hidden
    />
  )
}
