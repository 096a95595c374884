/** The words of what is not saved, in English. */
export const drafts = {
  leave_title: 'Leave without saving?',
  leave_kept: 'What you have typed stays in this browser, and is offered to you again.',
  leave_lost: 'What you have typed will be lost.',
  leave_stay: 'Stay here',
  leave_keep: 'Leave and keep it',
  leave_forget: 'Discard and leave',
  leave: 'Leave',
  drafts: 'Not saved yet',
  draft_from: '{what}, {when}',
  draft_untitled: 'Without a title',
  draft_forget: 'Discard “{title}”',
  draft_forget_short: 'Discard',
  draft_forget_title: 'Discard what you have typed?',
  draft_forget_text: '“{title}” was typed {when} and never saved. Nobody can bring it back.',
  out_title: 'Sign out?',
  out_text:
    'You have typed something that is not saved. This browser can keep it for you until you sign in again. On a computer that others use as well, discard it.',
  out_keep: 'Keep it and sign out',
  out_forget: 'Discard it and sign out',
}
