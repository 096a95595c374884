/** The words of signing in with a provider, in English. */
export const openid = {
  openid_sign_in: 'Sign in with {name}',
  openid_or: 'or',
  openid_confirm: 'Confirm with {name}',
  openid_window: 'This opens another window. Come back to this one afterwards.',
  openid_back: 'You are signed in. Go on in the window where you were.',
  openid_unknown:
    '{name} knows you, and this calendar does not. Ask an administrator to add you with your address of mail.',
  openid_disabled: 'Your user in this calendar is disabled.',
  openid_taken: '{name} is linked with another user of this calendar already.',
  openid_link: 'Link with {name}',
  openid_link_hint:
    'Then you sign in to this calendar with {name}. You can be linked for ten minutes after you signed in.',
  openid_link_title: 'Signing in with {name}',
  openid_unlink: 'Remove',
  openid_unlink_one: 'Remove the link with {name}',
  openid_unlink_title: 'Remove the link with {name}?',
  openid_unlink_text: '{name} no longer signs in to this account, and the sessions from there end.',
  openid_unlinked: 'The link is removed.',
  openid_no_role: '{name} gives you no role in this calendar. Ask whoever looks after the groups there.',
  openid_last_administrator:
    '{name} would take the last administrator away from this calendar. Add another administrator first.',
}
